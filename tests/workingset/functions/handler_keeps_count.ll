; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"shared": []}
; Nobody but the handler touches n. The next time it reads what it has left there.

@n = internal global i32 0
declare ptr @signal(i32, ptr)
define internal void @on(i32 %number) {
  %x = load i32, ptr @n           ; = global=32
  %y = add i32 %x, 1              ; = ssa=32
  store i32 %y, ptr @n            ; = ssa=32
  ret void                        ; = global=32
}
define i32 @main() {
  %old = call ptr @signal(i32 2, ptr @on) ; = global=32
  ret i32 0                       ; = global=32
}
