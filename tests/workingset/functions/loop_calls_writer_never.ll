; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The loop's condition never holds, so the callee never overwrites x, 32 bits. u has 64 bits.

@x = internal global i32 undef
@u = internal global i64 undef
define internal void @set() {
  store i32 1, ptr @x                                                ; = ssa=128
  ret void                                                           ; = ssa=128 global=32
}
define i32 @main() {
  %u = load i64, ptr @u                                              ; = global=96
  br label %head                                                     ; = ssa=64 global=32
head:
  %i = phi i64 [ %u, %0 ], [ %n, %body ]                             ; = ssa=128 global=32
  %c = icmp ult i64 %i, %u                                           ; = ssa=128 global=32
  br i1 %c, label %body, label %end                                  ; = ssa=129 global=32
body:
  call void @set() nounwind                                          ; = ssa=128
  %n = add i64 %i, 1                                                 ; = ssa=128 global=32
  br label %head                                                     ; = ssa=128 global=32
end:
  %z = load i32, ptr @x                                              ; = global=32
  ret i32 %z                                                         ; = ssa=32
}
