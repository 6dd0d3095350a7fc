; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A device's registers begin at a number; which one it is, is computed: %i selects it, and a store
; that is not volatile goes there.

@buf = internal global i64 0
define i32 @main(i64 %i) {
  store i64 %i, ptr @buf                ; = global=64 ssa=64
  %o = shl i64 %i, 3                    ; = global=64 ssa=64
  %n = add i64 %o, 1073741824           ; = global=64 ssa=64
  %p = inttoptr i64 %n to ptr           ; = global=64 ssa=64
  store ptr @buf, ptr %p                ; = global=64 ssa=64
  ret i32 0                             ; = global=64
}
