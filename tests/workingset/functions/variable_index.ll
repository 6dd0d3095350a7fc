; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A store at an unknown index kills nothing; a load from one reads the whole array, 4 x 32 bits.

@t = internal global [4 x i32] zeroinitializer
@i = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                    ; = global=192
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i      ; = ssa=64 global=128
  store i32 1, ptr %p                                      ; = ssa=64 global=128
  %x = load i32, ptr %p                                    ; = ssa=64 global=128
  ret i32 %x                                               ; = ssa=32
}
