; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; In job mode the counter of one job is read by the next, so it is live at the end; the scratch is not.

@count = global i32 0
@scratch = global i32 0
define void @benchmark_execution(i32 %argc, ptr %argv) {
  store i32 1, ptr @scratch       ; = global=32
  %s = load i32, ptr @scratch     ; = global=64
  %c = load i32, ptr @count       ; = ssa=32 global=32
  %n = add i32 %c, %s             ; = ssa=64
  store i32 %n, ptr @count        ; = ssa=32
  ret void                        ; = global=32
}
