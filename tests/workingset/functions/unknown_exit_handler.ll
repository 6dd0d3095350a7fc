; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Nobody knows what register does with the function: it may be called when the process ends, and again, and reads the table.

@table = internal global i32 1
declare void @register(ptr)
define internal void @handler() {
  %x = load i32, ptr @table                          ; = global=32
  call void @use(i32 %x)                             ; = ssa=32 global=32
  ret void                                           ; = global=32
}
declare void @use(i32)
define i32 @main() {
  store i32 2, ptr @table                            ; =
  call void @register(ptr @handler)                  ; = global=32
  ret i32 0                                          ; = global=32
}
