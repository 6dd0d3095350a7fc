; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A struct that is passed by value behind the named arguments: the call reads its 128 bits, and the pointer in it is found
; by va_arg, so @x, 32 bits, is live until f reads it. How many bits of unnamed arguments there are nobody knows.

@x = internal global i32 0
@g = internal global { ptr, i64 } zeroinitializer
declare void @llvm.va_start.p0(ptr)
define internal i32 @f(i32 %n, ...) {
  %list = alloca ptr                                                 ; = stack=- global=32
  call void @llvm.va_start.p0(ptr %list)                             ; = stack=- global=32
  %at = load ptr, ptr %list                                          ; = stack=- global=32
  %p = load ptr, ptr %at                                             ; = ssa=64 stack=- global=32
  %r = load i32, ptr %p                                              ; = ssa=64 global=32
  ret i32 %r                                                         ; = ssa=32
}
define i32 @main(i32 %v) {
  store i32 %v, ptr @x                                               ; = ssa=32 global=64
  store ptr @x, ptr @g                                               ; = global=96
  %r = call i32 (i32, ...) @f(i32 1, ptr byval({ ptr, i64 }) @g)     ; = global=160
  ret i32 %r                                                         ; = ssa=32
}
