; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A constant argument makes one way impossible in each copy; what no copy reaches is not reached.

@g = internal global i32 1
@h = internal global i64 2
define internal i32 @get(i32 %what) {
  switch i32 %what, label %none [ i32 0, label %one
                                  i32 1, label %two ]  ; = ssa=64 global=96 min.global=64
one:
  %x = load i32, ptr @g                                ; = global=96
  ret i32 %x                                           ; = ssa=32 global=64
two:
  %y = load i64, ptr @h                                ; = ssa=32 global=64
  %z = trunc i64 %y to i32                             ; = ssa=96
  ret i32 %z                                           ; = ssa=64
none:
  ret i32 3                                            ; = ssa=- stack=- global=- const=- heap=- volatile=- status=unreached
}
define i32 @main() {
  %a = call i32 @get(i32 0)                            ; = global=96
  %b = call i32 @get(i32 1)                            ; = ssa=32 global=64
  %c = add i32 %a, %b                                  ; = ssa=64
  ret i32 %c                                           ; = ssa=32
}
