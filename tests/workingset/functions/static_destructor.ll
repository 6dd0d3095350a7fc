; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A destructor runs after main and reads the table: its 64 bits are live through all of main. Others may follow it: that it
; reads the table once only is not used.

@table = internal global [2 x i32] [i32 1, i32 2]
@sum = internal global i64 0
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @destroy, ptr null }]
define internal void @destroy() {
  %a = load i64, ptr @table               ; = global=64
  store i64 %a, ptr @sum                  ; = ssa=64 global=64
  ret void                                ; = global=64
}
define i32 @main() {
  %x = add i32 1, 2                       ; = global=64
  ret i32 %x                              ; = ssa=32 global=64
}
