; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Constants have a class of their own: 2 x 8 bits.

@t = internal constant [2 x i8] c"ab"
define i8 @main() {
  %x = load i8, ptr @t                                     ; = const=16
  %p = getelementptr [2 x i8], ptr @t, i64 0, i64 1        ; = ssa=8 const=8
  %y = load i8, ptr %p                                     ; = ssa=72 const=8
  %z = add i8 %x, %y                                       ; = ssa=16
  ret i8 %z                                                ; = ssa=8
}
