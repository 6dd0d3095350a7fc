; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The loop leaves 0, 1 and 2 in s, of which the first two are loaded: elements 0 to 2 of 8, 96 bits. u has 64.

@t = internal global [8 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  %s = alloca [4 x i64], align 8                                     ; = global=160
  br label %loop                                                     ; = global=160
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                              ; = ssa=64 stack=128 global=160
  %q = getelementptr [4 x i64], ptr %s, i64 0, i64 %i                ; = ssa=64 stack=128 global=160
  store i64 %i, ptr %q, align 8                                      ; = ssa=128 stack=128 global=160
  %n = add nuw nsw i64 %i, 1                                         ; = ssa=64 stack=128 global=160
  %c = icmp eq i64 %n, 3                                             ; = ssa=64 stack=128 global=160
  br i1 %c, label %end, label %loop                                  ; = ssa=65 stack=128 global=160
end:
  %u = load i64, ptr @u                                              ; = stack=128 global=160
  %m = and i64 %u, 1                                                 ; = ssa=64 stack=128 global=96
  %o = getelementptr [4 x i64], ptr %s, i64 0, i64 %m                ; = ssa=64 stack=128 global=96
  %k = load i64, ptr %o, align 8                                     ; = ssa=64 stack=128 global=96
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %k                ; = ssa=64 global=96
  %x = load i32, ptr %p                                              ; = ssa=64 global=96
  ret i32 %x                                                         ; = ssa=32
}
