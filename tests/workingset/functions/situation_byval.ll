; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Copies of a function have one frame: the callee's copy of the struct is one object in both.

@a = internal global [2 x i64] zeroinitializer
@b = internal global [2 x i64] zeroinitializer
define internal i64 @get(ptr byval([2 x i64]) %s, i64 %i) {
  %p = getelementptr i64, ptr %s, i64 %i      ; = ssa=192 stack=64 global=128 min.global=0 contexts=2
  %x = load i64, ptr %p                       ; = ssa=128 stack=64 global=128
  ret i64 %x                                  ; = ssa=128 global=128
}
define i32 @main() {
  %x = call i64 @get(ptr byval([2 x i64]) @a, i64 0) ; = global=256
  %y = call i64 @get(ptr byval([2 x i64]) @b, i64 1) ; = ssa=64 global=128
  %z = add i64 %x, %y                         ; = ssa=128
  %t = trunc i64 %z to i32                    ; = ssa=64
  ret i32 %t                                  ; = ssa=32
}
