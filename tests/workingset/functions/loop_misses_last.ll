; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; One turn less leaves the last element as it was. Behind the loop n is 3, so just that element is read: 32 bits are live
; everywhere.

@t = internal global [4 x i32] zeroinitializer
define i32 @main() {
  br label %loop                                          ; = global=32
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                   ; = ssa=64 global=32
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i     ; = ssa=64 global=32
  store i32 7, ptr %p                                     ; = ssa=128 global=32
  %n = add nuw nsw i64 %i, 1                              ; = ssa=64 global=32
  %c = icmp ult i64 %n, 3                                 ; = ssa=64 global=32
  br i1 %c, label %loop, label %end                       ; = ssa=65 global=32
end:
  %q = getelementptr [4 x i32], ptr @t, i64 0, i64 %n     ; = ssa=64 global=32
  %x = load i32, ptr %q                                   ; = ssa=64 global=32
  ret i32 %x                                              ; = ssa=32
}
