; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Assembly with an instruction may tell a device what it gets as a value, and what is in memory that
; it names: buf (32 bits) and behind (16). named (64) is read by it, and nobody else.

@buf = internal global i32 0
@behind = internal global i16 0
@named = internal global ptr @behind
define i32 @main() {
  store i32 7, ptr @buf                 ; = global=112
  call void asm sideeffect "outl $0, $1", "r,*m"(ptr @buf, ptr elementtype(ptr) @named) ; = global=112
  ret i32 0                             ; = global=48
}
