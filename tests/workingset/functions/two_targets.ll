; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A store through a pointer with two targets kills neither.

@g = internal global i32 1
@h = internal global i32 2
@c = internal global i1 undef
define i32 @main() {
  %c = load i1, ptr @c                    ; = global=72
  %p = select i1 %c, ptr @g, ptr @h       ; = ssa=1 global=64
  store i32 9, ptr %p                     ; = ssa=64 global=64
  %x = load i32, ptr @g                   ; = global=64
  %y = load i32, ptr @h                   ; = ssa=32 global=32
  %z = add i32 %x, %y                     ; = ssa=64
  ret i32 %z                              ; = ssa=32
}
