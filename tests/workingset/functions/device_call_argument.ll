; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; What a function is passed it reads while it runs. Whether it tells a device nobody sees.

@buf = internal global i32 0
declare void @start(ptr)
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = ssa=32
  call void @start(ptr @buf)            ; = global=32
  store i32 0, ptr @buf                 ; =
  ret i32 0                             ; = global=32
}
