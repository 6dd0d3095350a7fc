; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; How many blocks this call has made nobody counts: the class has no figure, one block is 64 bits.

declare ptr @malloc(i64)
define i64 @main() {
  %p = call ptr @malloc(i64 8)            ; =
  store i64 7, ptr %p                     ; = ssa=64
  %x = load i64, ptr %p                   ; = ssa=64 heap=- level=64
  ret i64 %x                              ; = ssa=64
}
