; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Nobody else knows where a frame is: a volatile variable is as live as any other.

define i32 @main() {
  %a = alloca i32                         ; =
  store volatile i32 1, ptr %a            ; =
  %x = load volatile i32, ptr %a          ; = stack=32
  store volatile i32 2, ptr %a            ; = ssa=32
  ret i32 %x                              ; = ssa=32
}
