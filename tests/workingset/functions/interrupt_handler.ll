; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; An interrupt reads at any time what main writes for it: both are live everywhere.

@sent = internal global i32 0
@buffer = internal global i64 0
define void @on() "interrupt"="IRQ" {
  %x = load i64, ptr @buffer      ; = global=96
  %y = trunc i64 %x to i32        ; = ssa=64 global=96
  store i32 %y, ptr @sent         ; = ssa=32 global=96
  ret void                        ; = global=96
}
define i32 @main() {
  store i64 7, ptr @buffer        ; = global=96
  ret i32 0                       ; = global=96
}
