; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; calloc writes zeros: they are there to be read, and nobody else has written them.

declare ptr @calloc(i64, i64)
define i64 @main() {
  %p = call ptr @calloc(i64 2, i64 4)     ; =
  %x = load i64, ptr %p                   ; = ssa=64 heap=- level=64
  ret i64 %x                              ; = ssa=64
}
