; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A function of which nothing is known reads what escapes to it, now and at each later call.

@g = internal global i32 1
@h = internal global i32 2
declare void @unknown(ptr)
define i32 @main() {
  call void @unknown(ptr @g)              ; = global=32
  call void @unknown(ptr null)            ; = global=32
  ret i32 0                               ; = global=32
}
