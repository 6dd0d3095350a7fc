; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A function of which nothing is known calls back, and reads what it was given afterwards. main overwrites that, so main does
; not need it: in visit, it is live for the unknown function alone.

@g = internal global i32 1
declare void @each(ptr, ptr)
define internal void @visit() {
  ret void                                ; = global=32
}
define i32 @main() {
  call void @each(ptr @visit, ptr @g)     ; = global=32
  store i32 0, ptr @g                     ; =
  ret i32 0                               ; = global=32
}
