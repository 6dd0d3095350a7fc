; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Signed, every negative index is below 2, too. In front of the array is nothing, so what is read begins at element 4 - 4 = 0:
; elements 0 to 5, 6 x 32 bits.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 undef
define i32 @main() {
  %i = load i64, ptr @i                                              ; = global=256
  %c = icmp slt i64 %i, 2                                            ; = ssa=64 global=192
  %a = icmp sge i64 %i, -9                                           ; = ssa=65 global=192
  %b = and i1 %c, %a                                                 ; = ssa=66 global=192
  br i1 %b, label %few, label %many                                  ; = ssa=65 global=192
few:
  %q = getelementptr [8 x i32], ptr @t, i64 0, i64 4                 ; = ssa=64 global=192
  %p = getelementptr i32, ptr %q, i64 %i                             ; = ssa=128 global=192
  %x = load i32, ptr %p                                              ; = ssa=64 global=192
  ret i32 %x                                                         ; = ssa=32
many:
  ret i32 0                                                          ; =
}
