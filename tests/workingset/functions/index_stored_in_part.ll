; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A byte of the index is stored alone, so it may be anything: all 8 elements, 256 bits.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 1
@u = internal global i32 undef
define i32 @main() {
  %u = load i32, ptr @u                                              ; = global=352
  %c = icmp eq i32 %u, 0                                             ; = ssa=32 global=320
  br i1 %c, label %change, label %read                               ; = ssa=1 global=320
change:
  store i8 2, ptr @i                                                 ; = global=312
  br label %read                                                     ; = global=320
read:
  %i = load i64, ptr @i                                              ; = global=320
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=256
  %x = load i32, ptr %p                                              ; = ssa=64 global=256
  ret i32 %x                                                         ; = ssa=32
}
