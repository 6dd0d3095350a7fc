; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; What is undefined is not taken for the constant that it meets: both ways stay possible, as in any copy.

@g = internal global i32 1
@h = internal global i32 2
@c = internal global i1 undef
define internal i32 @get(i1 %what) {
  br i1 %what, label %one, label %two     ; = ssa=1 global=64
one:
  %x = load i32, ptr @g                   ; = global=32
  ret i32 %x                              ; = ssa=32
two:
  %y = load i32, ptr @h                   ; = global=32
  ret i32 %y                              ; = ssa=32
}
define i32 @main() {
  %c = load i1, ptr @c                    ; = global=72
  br i1 %c, label %set, label %end        ; = ssa=1 global=64
set:
  br label %end                           ; = global=64
end:
  %v = phi i1 [ true, %set ], [ undef, %0 ] ; = ssa=1 global=64
  %x = call i32 @get(i1 %v)               ; = ssa=1 global=64
  ret i32 %x                              ; = ssa=32
}
