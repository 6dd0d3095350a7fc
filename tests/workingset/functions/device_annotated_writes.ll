; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"buffers": {"buf": "writes"}}
; The device reads nothing of buf, so it is live where the program reads it next: from its own store on
; (the device may write less than all of it), not before and not behind.

@buf = internal global i32 0
@register = external global ptr
define i32 @main(i32 %v) {
  store volatile ptr @buf, ptr @register     ; = ssa=32
  store i32 %v, ptr @buf                     ; = ssa=32
  %x = load i32, ptr @buf                    ; = global=32
  ret i32 %x                                 ; = ssa=32
}
