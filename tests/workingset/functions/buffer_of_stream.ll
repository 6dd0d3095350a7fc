; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A stream keeps the buffer that it is given; whatever is printed later may write it out.

@buffer = internal global [4 x i8] zeroinitializer
declare i32 @setvbuf(ptr, ptr, i32, i64)
declare i32 @putchar(i32)
define i32 @main() {
  %r = call i32 @setvbuf(ptr null, ptr @buffer, i32 0, i64 4) ; = global=32
  br label %forever                       ; = global=32
forever:
  %c = call i32 @putchar(i32 65)          ; = global=32
  br label %forever                       ; = global=32
}
