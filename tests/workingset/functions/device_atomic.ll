; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; By an exchange, and by a compare and exchange, that are volatile: first goes to the device, then
; second (32 bits each).

@first = internal global i32 0
@second = internal global i32 0
@register = external global i64
define i32 @main(i32 %v) {
  store i32 %v, ptr @first                   ; = global=64 ssa=32
  store i32 %v, ptr @second                  ; = global=64 ssa=32
  %a = ptrtoint ptr @first to i64            ; = global=64
  %b = ptrtoint ptr @second to i64           ; = global=64 ssa=64
  %o = atomicrmw volatile xchg ptr @register, i64 %a seq_cst     ; = global=64 ssa=128
  %p = cmpxchg volatile ptr @register, i64 0, i64 %b seq_cst seq_cst ; = global=64 ssa=64
  ret i32 0                                  ; = global=64
}
