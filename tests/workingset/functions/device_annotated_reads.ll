; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"buffers": {"buf": "reads"}}
; The function that is called starts a device, which the code does not show.

@buf = internal global i32 0
declare void @start(ptr)
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = global=32 ssa=32
  call void @start(ptr @buf)            ; = global=32
  ret i32 0                             ; = global=32
}
