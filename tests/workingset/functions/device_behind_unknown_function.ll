; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Memory of a function that nobody knows, as mmap: a volatile store there may reach a device. What
; that function is passed, key, it may read at the end of the program, too. Where the store goes is not
; known, so it may go to either of them: they are in the class of what is accessed as volatile.

@buf = internal global i32 0
@key = internal global i64 0
declare ptr @map(ptr)
define i32 @main() {
  store i32 7, ptr @buf                 ; = volatile=96
  %r = call ptr @map(ptr @key)          ; = volatile=96
  store volatile ptr @buf, ptr %r       ; = volatile=96 ssa=64
  store i64 0, ptr @key                 ; = volatile=96
  ret i32 0                             ; = volatile=96
}
