; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Whether the format counts nobody knows, so n may be defined after it. The text that it points to has escaped.

@format = internal constant [3 x i8] c"%%\00"
@formats = internal global { ptr } { ptr @format }
declare i32 @printf(ptr, ...)
define i32 @main() {
  %n = alloca i32                         ; = const=24 global=64
  %f = load ptr, ptr @formats             ; = const=24 global=64
  %r = call i32 (ptr, ...) @printf(ptr %f, ptr %n) ; = ssa=64 const=24
  %x = load i32, ptr %n                   ; = const=24 stack=32
  ret i32 %x                              ; = ssa=32 const=24
}
