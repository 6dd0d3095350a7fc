; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"objects": {"main:malloc:0": {"instances": 3}}}
; At most three blocks of 64 bits: 192.

declare ptr @malloc(i64)
define i64 @main() {
  %p = call ptr @malloc(i64 8)            ; =
  store i64 7, ptr %p                     ; = ssa=64
  %x = load i64, ptr %p                   ; = ssa=64 heap=192
  ret i64 %x                              ; = ssa=64
}
