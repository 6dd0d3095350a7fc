; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Two bits as a signed number are -2 to 1, from element 4 on: elements 2 to 5, 4 x 32 bits; not the two before nor the two behind.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                              ; = global=192
  %n = trunc i64 %i to i2                                            ; = ssa=64 global=128
  %s = sext i2 %n to i64                                             ; = ssa=2 global=128
  %q = getelementptr [8 x i32], ptr @t, i64 0, i64 4                 ; = ssa=64 global=128
  %p = getelementptr i32, ptr %q, i64 %s                             ; = ssa=128 global=128
  %x = load i32, ptr %p                                              ; = ssa=64 global=128
  ret i32 %x                                                         ; = ssa=32
}
