; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Through a pointer with one target a callee kills the caller's local.

define internal void @set(ptr %p) {
  store i32 1, ptr %p             ; = ssa=64
  ret void                        ; = stack=32
}
define i32 @main() {
  %a = alloca i32                 ; =
  call void @set(ptr %a)          ; =
  %x = load i32, ptr %a           ; = stack=32
  ret i32 %x                      ; = ssa=32
}
