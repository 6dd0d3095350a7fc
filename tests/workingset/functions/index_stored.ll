; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The index is 1 at first, and 2 is stored: elements 1 and 2 of 8, 64 bits, may be read. i has 64.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 1
@u = internal global i32 undef
define i32 @main() {
  %u = load i32, ptr @u                                              ; = global=160
  %c = icmp eq i32 %u, 0                                             ; = ssa=32 global=128
  br i1 %c, label %change, label %read                               ; = ssa=1 global=128
change:
  store i64 2, ptr @i                                                ; = global=64
  br label %read                                                     ; = global=128
read:
  %i = load i64, ptr @i                                              ; = global=128
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=64
  %x = load i32, ptr %p                                              ; = ssa=64 global=64
  ret i32 %x                                                         ; = ssa=32
}
