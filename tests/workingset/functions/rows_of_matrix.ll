; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Rows 0 and 1 of 4, of each elements 0 and 1 of 4: 4 x 32 of 512 bits.

@t = internal global [4 x [4 x i32]] zeroinitializer
@i = internal global i64 undef
@j = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                              ; = global=256
  %r = and i64 %i, 1                                                 ; = ssa=64 global=192
  %j = load i64, ptr @j                                              ; = ssa=64 global=192
  %s = and i64 %j, 1                                                 ; = ssa=128 global=128
  %p = getelementptr [4 x [4 x i32]], ptr @t, i64 0, i64 %r, i64 %s  ; = ssa=128 global=128
  %x = load i32, ptr %p                                              ; = ssa=64 global=128
  ret i32 %x                                                         ; = ssa=32
}
