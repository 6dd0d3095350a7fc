; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; As setjmp.ll, compiled with -fno-builtin: clang marks setjmp only where it is a builtin. It returns again all the same.

@buffer = internal global [200 x i8] zeroinitializer
declare i32 @setjmp(ptr)
declare void @g(i32)
define i32 @main(i32 %v) {
  %r = call i32 @setjmp(ptr @buffer)              ; = ssa=32
  %c = icmp eq i32 %r, 0                           ; = ssa=64
  br i1 %c, label %first, label %again             ; = ssa=33
first:
  call void @abort()                               ; = ssa=32
  unreachable                                      ; =
again:
  ret i32 %v                                       ; = ssa=32
}
declare void @abort() noreturn
