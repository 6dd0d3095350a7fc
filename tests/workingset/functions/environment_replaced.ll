; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; getenv looks for what it is asked (2 bytes) in the variables that the program has put into environ
; itself: table and the name that it leads to, 8 bytes each.

@environ = external global ptr
@key = internal constant [2 x i8] c"A\00"
@table = internal global [1 x ptr] zeroinitializer
@name = internal global i64 0
declare ptr @getenv(ptr)
define i32 @main(i64 %v) {
  store i64 %v, ptr @name         ; = const=16 ssa=64
  store ptr @name, ptr @table     ; = const=16 global=64
  store ptr @table, ptr @environ  ; = const=16 global=128
  %found = call ptr @getenv(ptr @key) ; = const=16 global=128
  ret i32 0                       ; =
}
