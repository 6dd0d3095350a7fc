; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Two fields of a struct are two cells: 16 + 32 bits, the padding between them is read by nobody.

@s = internal global { i16, i32 } zeroinitializer
define i32 @main() {
  %f = load i16, ptr @s                                    ; = global=48
  %p = getelementptr { i16, i32 }, ptr @s, i32 0, i32 1    ; = ssa=16 global=32
  %g = load i32, ptr %p                                    ; = ssa=80 global=32
  %e = zext i16 %f to i32                                  ; = ssa=48
  %x = add i32 %e, %g                                      ; = ssa=64
  ret i32 %x                                               ; = ssa=32
}
