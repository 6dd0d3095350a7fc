; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Where getcontext returns again all is live, as after setjmp: @table, 32 bits, of which setcontext knows nothing, too.

@context = internal global [8 x i8] zeroinitializer
@table = internal global i32 0
declare i32 @getcontext(ptr) returns_twice
declare void @setcontext(ptr) noreturn
define i32 @main() {
  %r = call i32 @getcontext(ptr @context) returns_twice ; = global=96
  %x = load i32, ptr @table                             ; = global=96
  store i32 2, ptr @table                               ; = global=64
  call void @setcontext(ptr @context)                   ; = global=96
  unreachable                                           ; =
}
