; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The second field of each of 4 elements: 4 x 32 of 256 bits.

@t = internal global [4 x { i32, i32 }] zeroinitializer
@i = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                              ; = global=192
  %m = and i64 %i, 3                                                 ; = ssa=64 global=128
  %p = getelementptr [4 x { i32, i32 }], ptr @t, i64 0, i64 %m, i32 1 ; = ssa=64 global=128
  %x = load i32, ptr %p                                              ; = ssa=64 global=128
  ret i32 %x                                                         ; = ssa=32
}
