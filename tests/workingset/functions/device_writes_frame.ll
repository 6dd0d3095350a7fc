; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"buffers": {"main:0:a": "writes"}}
; Nothing in the program writes a, but the device may have: what is read of it is live. The other half
; is never read.

@register = external global ptr
define i32 @main() {
  %a = alloca i64                            ; =
  store volatile ptr %a, ptr @register       ; = stack=32
  %x = load i32, ptr %a                      ; = stack=32
  ret i32 %x                                 ; = ssa=32
}
