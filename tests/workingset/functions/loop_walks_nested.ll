; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Both loops move the pointer on, two rows of two elements: t is overwritten whole before it is read.

@t = internal global [4 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  br label %row                                                      ; = global=64
row:
  %i = phi i32 [ 0, %0 ], [ %i.n, %next ]                            ; = ssa=96 global=192
  %p = phi ptr [ @t, %0 ], [ %q.n, %next ]                           ; = ssa=96 global=192
  br label %loop                                                     ; = ssa=96 global=192
loop:
  %j = phi i32 [ 0, %row ], [ %j.n, %loop ]                          ; = ssa=128 global=192
  %q = phi ptr [ %p, %row ], [ %q.n, %loop ]                         ; = ssa=128 global=192
  store i32 7, ptr %q                                                ; = ssa=128 global=192
  %q.n = getelementptr i32, ptr %q, i64 1                            ; = ssa=128 global=192
  %j.n = add nsw i32 %j, 1                                           ; = ssa=128 global=192
  %j.c = icmp eq i32 %j.n, 2                                         ; = ssa=128 global=192
  br i1 %j.c, label %next, label %loop                               ; = ssa=129 global=192
next:
  %i.n = add nsw i32 %i, 1                                           ; = ssa=96 global=192
  %i.c = icmp eq i32 %i.n, 2                                         ; = ssa=96 global=192
  br i1 %i.c, label %end, label %row                                 ; = ssa=97 global=192
end:
  %k = load i64, ptr @u                                              ; = global=192
  %m = and i64 %k, 3                                                 ; = ssa=64 global=128
  %o = getelementptr [4 x i32], ptr @t, i64 0, i64 %m                ; = ssa=64 global=128
  %z = load i32, ptr %o                                              ; = ssa=64 global=128
  ret i32 %z                                                         ; = ssa=32
}
