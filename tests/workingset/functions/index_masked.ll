; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The mask leaves elements 0 to 3 of 8: 4 x 32 bits may be read.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                              ; = global=192
  %m = and i64 %i, 3                                                 ; = ssa=64 global=128
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %m                ; = ssa=64 global=128
  %x = load i32, ptr %p                                              ; = ssa=64 global=128
  ret i32 %x                                                         ; = ssa=32
}
