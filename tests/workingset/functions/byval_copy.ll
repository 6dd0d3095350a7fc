; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A byval argument is a copy: the caller's 64 bits are read by the call, the callee's are its own frame.

define internal i64 @f(ptr byval(i64) %p) {
  %x = load i64, ptr %p                   ; = ssa=64 stack=64
  ret i64 %x                              ; = ssa=64
}
define i64 @main() {
  %a = alloca i64                         ; =
  store i64 5, ptr %a                     ; =
  %r = call i64 @f(ptr byval(i64) %a)     ; = stack=64
  ret i64 %r                              ; = ssa=64
}
