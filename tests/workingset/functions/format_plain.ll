; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; "%%n" prints and stores nothing: n is never written, and printf has done with its format.

@format = internal constant [4 x i8] c"%%n\00"
declare i32 @printf(ptr, ...)
define i32 @main() {
  %n = alloca i32                         ; = const=32
  %r = call i32 (ptr, ...) @printf(ptr @format, ptr %n) ; = const=32
  %x = load i32, ptr %n                   ; =
  ret i32 %x                              ; = ssa=32
}
