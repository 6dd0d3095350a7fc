; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Only below 2 the array is read: 2 x 32 bits, until it is known that the index is not.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                              ; = global=128
  %c = icmp ult i64 %i, 2                                            ; = ssa=64 global=64
  br i1 %c, label %few, label %many                                  ; = ssa=65 global=64
few:
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=64
  %x = load i32, ptr %p                                              ; = ssa=64 global=64
  ret i32 %x                                                         ; = ssa=32
many:
  ret i32 0                                                          ; =
}
