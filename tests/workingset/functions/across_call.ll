; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The caller's value lives on while the callee runs: 32 bits more in each of its instructions.

@g = internal global i32 3
define internal i32 @f(i32 %a) {
  %x = add i32 %a, 1              ; = ssa=64
  ret i32 %x                      ; = ssa=64
}
define i32 @main() {
  %v = load i32, ptr @g           ; = global=32
  %r = call i32 @f(i32 4)         ; = ssa=32
  %s = add i32 %r, %v             ; = ssa=64
  ret i32 %s                      ; = ssa=32
}
