; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; An i1 is one bit, an i8 eight.

define i8 @main() {
  %c = icmp eq i8 1, 2            ; =
  %v = add i8 1, 2                ; = ssa=1
  %s = select i1 %c, i8 %v, i8 3  ; = ssa=9
  ret i8 %s                       ; = ssa=8
}
