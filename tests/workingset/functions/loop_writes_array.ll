; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The loop writes all 4 x 32 bits before they are read: dead before it. In the loop, where it stands is not known, so the array
; is live from its first turn's end on.

@t = internal global [4 x i32] zeroinitializer
define i32 @main() {
  br label %loop                                          ; =
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                   ; = ssa=64 global=128
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i     ; = ssa=64 global=128
  store i32 7, ptr %p                                     ; = ssa=128 global=128
  %n = add nuw nsw i64 %i, 1                              ; = ssa=64 global=128
  %c = icmp ult i64 %n, 4                                 ; = ssa=64 global=128
  br i1 %c, label %loop, label %end                       ; = ssa=65 global=128
end:
  %q = getelementptr [4 x i32], ptr @t, i64 0, i64 %n     ; = ssa=64 global=128
  %x = load i32, ptr %q                                   ; = ssa=64 global=128
  ret i32 %x                                              ; = ssa=32
}
