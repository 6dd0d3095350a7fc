; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each turn reads an element before it writes it: the loop needs what was there before.

@t = internal global [4 x i32] zeroinitializer
define i32 @main() {
  br label %loop                                          ; = global=128
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                   ; = ssa=64 global=128
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i     ; = ssa=64 global=128
  %x = load i32, ptr %p                                   ; = ssa=128 global=128
  %y = add i32 %x, 1                                      ; = ssa=160 global=128
  store i32 %y, ptr %p                                    ; = ssa=160 global=128
  %n = add nuw nsw i64 %i, 1                              ; = ssa=64 global=128
  %c = icmp ult i64 %n, 4                                 ; = ssa=64 global=128
  br i1 %c, label %loop, label %end                       ; = ssa=65 global=128
end:
  ret i32 0                                               ; =
}
