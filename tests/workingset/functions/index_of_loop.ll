; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Three turns read elements 0 to 2 of 8: 3 x 32 bits. The phi counts to 3 before the loop is left, the body's index does not.

@t = internal global [8 x i32] zeroinitializer
define void @main() {
  br label %head                                                     ; = global=96
head:
  %i = phi i64 [ 0, %0 ], [ %n, %body ]                              ; = ssa=64 global=96
  %c = icmp ult i64 %i, 3                                            ; = ssa=64 global=96
  br i1 %c, label %body, label %end                                  ; = ssa=65 global=96
body:
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=96
  %x = load i32, ptr %p                                              ; = ssa=128 global=96
  %n = add i64 %i, 1                                                 ; = ssa=64 global=96
  br label %head                                                     ; = ssa=64 global=96
end:
  ret void                                                           ; =
}
