; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A device knows at, so whatever the program stores there, it may hold anything: all 4 elements of
; table may be read, 128 bits, and at itself is always live, 32.

@at = internal global i32 0
@table = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@register = external global ptr
define i32 @main() {
  store volatile ptr @at, ptr @register      ; = global=160
  %i = load i32, ptr @at                     ; = global=160
  %j = zext i32 %i to i64                    ; = global=160 ssa=32
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %j ; = global=160 ssa=64
  %x = load i32, ptr %p                      ; = global=160 ssa=64
  ret i32 %x                                 ; = global=32 ssa=32
}
