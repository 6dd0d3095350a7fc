; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A constructor runs before main, which reads what it leaves.

@g = internal global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
define internal void @construct() {
  store i32 4, ptr @g                     ; =
  ret void                                ; = global=32
}
define i32 @main() {
  %x = load i32, ptr @g                   ; = global=32
  ret i32 %x                              ; = ssa=32
}
