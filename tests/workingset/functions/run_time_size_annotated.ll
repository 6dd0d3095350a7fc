; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"objects": {"main:0:v": {"instances": 1, "bytes": 40}}}
; Of at most 40 bytes the first 4 are read.

@n = internal global i64 3
define i32 @main() {
  %n = load i64, ptr @n                   ; = global=64
  %v = alloca i32, i64 %n                 ; = ssa=64
  store i32 1, ptr %v                     ; =
  %x = load i32, ptr %v                   ; = stack=32
  ret i32 %x                              ; = ssa=32
}
