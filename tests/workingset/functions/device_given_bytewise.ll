; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; One byte of an address after the other, the last through a call's result: 8 bits of it are enough.

@buf = internal global i16 0
@fifo = external global i8
define internal i8 @upper(i64 %n) {
  %s = lshr i64 %n, 8                   ; = global=16 ssa=64
  %t = trunc i64 %s to i8               ; = global=16 ssa=64
  ret i8 %t                             ; = global=16 ssa=8
}
define i32 @main(i16 %v) {
  store i16 %v, ptr @buf                ; = global=16 ssa=16
  %a = ptrtoint ptr @buf to i64         ; = global=16
  %b = call i8 @upper(i64 %a)           ; = global=16 ssa=64
  store volatile i8 %b, ptr @fifo       ; = global=16 ssa=8
  ret i32 0                             ; = global=16
}
