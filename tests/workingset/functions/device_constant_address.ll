; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; An address that is a number is a device's, also where the store is not volatile.

@buf = internal global i64 0
define i32 @main(i64 %v) {
  store i64 %v, ptr @buf                                     ; = global=64 ssa=64
  store ptr @buf, ptr inttoptr (i64 1073741824 to ptr)       ; = global=64
  ret i32 0                                                  ; = global=64
}
