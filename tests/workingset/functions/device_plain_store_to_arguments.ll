; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; What main is given is the process's: a store there that is not volatile tells no device of buf.

@buf = internal global i32 0
define i32 @main(i32 %v, ptr %words) {
  store i32 %v, ptr @buf                ; = ssa=96
  store ptr @buf, ptr %words            ; = ssa=64
  ret i32 0                             ; =
}
