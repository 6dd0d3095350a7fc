; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The call may enter both functions: what either reads is live, what only one overwrites is not killed.

@g = internal global i32 1
@h = internal global i32 2
@c = internal global i1 undef
define internal i32 @reads_g() {
  %x = load i32, ptr @g                   ; = global=32
  ret i32 %x                              ; = ssa=32
}
define internal i32 @reads_h() {
  %x = load i32, ptr @h                   ; = global=32
  ret i32 %x                              ; = ssa=32
}
define i32 @main() {
  %c = load i1, ptr @c                              ; = global=72
  %f = select i1 %c, ptr @reads_g, ptr @reads_h     ; = ssa=1 global=64
  %x = call i32 %f()                                ; = ssa=64 global=64
  ret i32 %x                                        ; = ssa=32
}
