; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"shared": [], "objects": {"on:malloc:0": {"instances": 1}}}
; Nobody but the handler touches the block of 4 bytes that it made the last time. Of a block of the
; heap no write is one of all, so it is live until the end of the program.

@last = internal global ptr null
declare ptr @malloc(i64)
declare ptr @signal(i32, ptr)
define internal void @on(i32 %number) {
  %block = load ptr, ptr @last    ; = global=64 heap=32
  %old = load i32, ptr %block     ; = heap=32 ssa=64
  %new = call ptr @malloc(i64 4)  ; = heap=32 ssa=32
  store i32 %old, ptr %new        ; = heap=32 ssa=96
  store ptr %new, ptr @last       ; = heap=32 ssa=64
  ret void                        ; = global=64 heap=32
}
define i32 @main() {
  %before = call ptr @signal(i32 2, ptr @on) ; = global=64 heap=32
  ret i32 0                       ; = global=64 heap=32
}
