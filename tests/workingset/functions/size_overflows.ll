; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; 2^63 times 2 bytes are no 0 bytes, which the product would be in 64 bits, and neither is an array of
; 2^62 elements of 8: there is no number. The 64 bits that are read of another block are bounded.

@huge = internal global [4611686018427387904 x i64] zeroinitializer
declare ptr @calloc(i64, i64)
define i64 @main(i64 %n) {
  %p = call ptr @calloc(i64 9223372036854775808, i64 2)  ; = ssa=64 global=- level=0 bounded=64
  %q = getelementptr i64, ptr @huge, i64 %n              ; = ssa=128 global=- heap=- level=0 bounded=128
  %x = load i64, ptr %q                                  ; = ssa=128 global=- heap=- level=0 bounded=128
  %y = load i64, ptr %p                                  ; = ssa=128 heap=- level=0 bounded=128
  %z = add i64 %x, %y                                    ; = ssa=128 bounded=128
  ret i64 %z                                             ; = ssa=64
}
