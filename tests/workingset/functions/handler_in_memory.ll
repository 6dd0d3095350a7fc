; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; sigaction is told the handler in memory, and nothing calls it: it runs all the same. What
; sigaction was given is as shared as the global.

@n = internal global i32 0
declare i32 @sigaction(i32, ptr, ptr)
define internal void @on(i32 %number) {
  store i32 %number, ptr @n       ; = global=32 stack=64 ssa=32 status=exact
  ret void                        ; = global=32 stack=64 status=exact
}
define i32 @main() {
  %action = alloca ptr            ; = global=32 stack=64
  store ptr @on, ptr %action      ; = global=32 stack=64
  %r = call i32 @sigaction(i32 2, ptr %action, ptr null) ; = global=32 stack=64
  %x = load i32, ptr @n           ; = global=32 stack=64
  ret i32 %x                      ; = global=32 stack=64 ssa=32
}
