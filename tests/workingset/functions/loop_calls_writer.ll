; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The loop surely runs, so its callee surely overwrites x (32 bits) before it is read.

@x = internal global i32 0
define internal void @set() {
  store i32 1, ptr @x                                                ; = ssa=64
  ret void                                                           ; = ssa=64 global=32
}
define i32 @main() {
  br label %head                                                     ; =
head:
  %i = phi i64 [ 0, %0 ], [ %n, %body ]                              ; = ssa=64 global=32
  %c = icmp ult i64 %i, 3                                            ; = ssa=64 global=32
  br i1 %c, label %body, label %end                                  ; = ssa=65 global=32
body:
  call void @set() nounwind                                          ; = ssa=64
  %n = add i64 %i, 1                                                 ; = ssa=64 global=32
  br label %head                                                     ; = ssa=64 global=32
end:
  %z = load i32, ptr @x                                              ; = global=32
  ret i32 %z                                                         ; = ssa=32
}
