; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The callee overwrites g before anybody reads it: dead before the call, live after it.

@g = internal global i32 3
define internal void @f() {
  store i32 1, ptr @g             ; =
  ret void                        ; = global=32
}
define i32 @main() {
  call void @f()                  ; =
  %x = load i32, ptr @g           ; = global=32
  ret i32 %x                      ; = ssa=32
}
