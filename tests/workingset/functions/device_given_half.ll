; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The low half of an address, with a flag added, goes into a device's register: the device may read
; buf (64 bits) from then on, so it is always live, though nothing in the program reads it. What other
; is stored into stays in the program: dead.

@buf = internal global i64 0
@other = internal global i64 0
@place = internal global i64 0
@low = external global i32
define i32 @main(i64 %v) {
  store i64 %v, ptr @buf            ; = global=64 ssa=64
  %a = ptrtoint ptr @buf to i64     ; = global=64
  %b = ptrtoint ptr @other to i64   ; = global=64 ssa=64
  store i64 %b, ptr @place          ; = global=64 ssa=128
  %l = trunc i64 %a to i32          ; = global=64 ssa=64
  %f = add i32 %l, 1                ; = global=64 ssa=32
  store volatile i32 %f, ptr @low   ; = global=64 ssa=32
  ret i32 0                         ; = global=64
}
