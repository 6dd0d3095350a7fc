; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Functions that have no more than the name of one of the C library: nobody knows what they do. They
; are told nothing of g, so it is read once, after them.

@g = internal global i32 1
declare i32 @atexit()
declare void @qsort(ptr)
declare ptr @realloc()
define i32 @main() {
  %a = call i32 @atexit()           ; = global=32
  call void @qsort(ptr null)        ; = global=32
  %b = call ptr @realloc()          ; = global=32
  %x = load i32, ptr @g             ; = global=32
  ret i32 %x                        ; = ssa=32
}
