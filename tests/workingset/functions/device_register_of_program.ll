; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A volatile variable of the program counts as a register (64 bits), so what is stored there is given
; to a device: buf, 32 bits.

@register = global i64 0
@buf = internal global i32 0
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                     ; = global=32 volatile=64 ssa=32
  %a = ptrtoint ptr @buf to i64              ; = global=32 volatile=64
  store volatile i64 %a, ptr @register       ; = global=32 volatile=64 ssa=64
  ret i32 0                                  ; = global=32 volatile=64
}
