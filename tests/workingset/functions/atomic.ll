; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; An atomic addition reads what it replaces: it kills nothing.

@g = internal global i32 1
define i32 @main() {
  %x = atomicrmw add ptr @g, i32 1 seq_cst  ; = global=32
  %y = load i32, ptr @g                     ; = ssa=32 global=32
  %z = add i32 %x, %y                       ; = ssa=64
  ret i32 %z                                ; = ssa=32
}
