; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; What only teardown reads is live at the end of a job, and dead in init's first instruction, which writes it.

@result = global i32 0
define i32 @benchmark_init(i32 %argc, ptr %argv) {
  store i32 1, ptr @result        ; =
  ret i32 0                       ; = global=32
}
define void @benchmark_execution(i32 %argc, ptr %argv) {
  %x = add i32 1, 1               ; = global=32
  ret void                        ; = global=32
}
define void @benchmark_teardown(i32 %argc, ptr %argv) {
  %r = load i32, ptr @result      ; = global=32
  ret void                        ; =
}
