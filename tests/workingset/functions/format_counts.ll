; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; %n stores through its argument. The model of printf does not say so, and such a call is one of a function that nobody knows:
; the 5 bytes of the format, which escape too, could be read until the end. The frame is gone then.

@format = internal constant [5 x i8] c"ab%n\00"
declare i32 @printf(ptr, ...)
define i32 @main() {
  %n = alloca i32                         ; = const=40
  %r = call i32 (ptr, ...) @printf(ptr @format, ptr %n) ; = const=40
  %x = load i32, ptr %n                   ; = const=40 stack=32
  ret i32 %x                              ; = ssa=32 const=40
}
