; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; exit() in the loop may come before the last element is written, and the handler reads them all. The unknown function may
; call the handler too, then over main's 128 bits.

@t = internal global [2 x i32] zeroinitializer
declare i32 @atexit(ptr)
declare void @log_or_exit()
define internal void @bye() {
  %x = load i64, ptr @t                                   ; = ssa=128 global=64 min.ssa=0
  ret void                                                ; = ssa=128 global=64 min.ssa=0
}
define i32 @main() {
  %r = call i32 @atexit(ptr @bye)                         ; = global=64
  br label %loop                                          ; = global=64
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                   ; = ssa=64 global=64
  %p = getelementptr [2 x i32], ptr @t, i64 0, i64 %i     ; = ssa=64 global=64
  call void @log_or_exit()                                ; = ssa=128 global=64
  store i32 7, ptr %p                                     ; = ssa=128 global=64
  %n = add nuw nsw i64 %i, 1                              ; = ssa=64 global=64
  %c = icmp ult i64 %n, 2                                 ; = ssa=64 global=64
  br i1 %c, label %loop, label %end                       ; = ssa=65 global=64
end:
  ret i32 0                                               ; = global=64
}
