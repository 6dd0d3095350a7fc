; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A store that is not volatile, to a variable of another file, gives nothing to a device.

@buf = internal global i32 0
@list = external global ptr
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = ssa=32
  store ptr @buf, ptr @list             ; =
  ret i32 0                             ; =
}
