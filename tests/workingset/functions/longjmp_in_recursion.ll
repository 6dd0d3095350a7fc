; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Where longjmp leads, all is live: 1600 bits of the buffer, 32 of @other, which main reads also when down returns.
; They count once, however deep the recursion is that may come to it. setjmp need not write all of the buffer.

@buffer = internal global [200 x i8] zeroinitializer
@other = internal global i32 3
declare i32 @setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
define internal void @down(i32 %n) {
  %end = icmp eq i32 %n, 0                               ; = ssa=32 global=1632
  br i1 %end, label %jump, label %further                ; = ssa=33 global=1632
further:
  %m = sub i32 %n, 1                                     ; = ssa=32 global=1632
  call void @down(i32 %m)                                ; = ssa=32 global=1632
  ret void                                               ; = global=32
jump:
  call void @longjmp(ptr @buffer, i32 1)                 ; = global=1632
  unreachable                                            ; =
}
define i32 @main(i32 %v) {
  store i32 %v, ptr @other                               ; = ssa=32 global=1600
  %r = call i32 @setjmp(ptr @buffer) returns_twice       ; = global=1632
  %c = icmp eq i32 %r, 0                                 ; = ssa=32 global=1632
  br i1 %c, label %first, label %again                   ; = ssa=1 global=1632
first:
  call void @down(i32 2)                                 ; = global=1632
  br label %again                                        ; = global=32
again:
  %x = load i32, ptr @other                              ; = global=32
  ret i32 %x                                             ; = ssa=32
}
