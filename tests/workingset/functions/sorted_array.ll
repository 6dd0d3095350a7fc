; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; qsort compares elements more than once: while one comparison runs, all of them are still to be read.

@a = internal global [2 x i32] [i32 2, i32 1]
declare void @qsort(ptr, i64, i64, ptr)
define internal i32 @compare(ptr %x, ptr %y) {
  %p = load i32, ptr %x                   ; = ssa=128 global=64
  %q = load i32, ptr %y                   ; = ssa=96 global=64
  %d = sub i32 %p, %q                     ; = ssa=64 global=64
  ret i32 %d                              ; = ssa=32 global=64
}
define i32 @main() {
  call void @qsort(ptr @a, i64 2, i64 4, ptr @compare) ; = global=64
  ret i32 0                               ; =
}
