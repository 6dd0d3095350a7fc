; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The last of the four places of s is never stored and may be loaded, so the index may be anything:
; all 8 elements, 256 bits. What is not stored is not live: 3 x 64 bits of s.

@t = internal global [8 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  %s = alloca [4 x i64], align 8                                     ; = global=320
  br label %loop                                                     ; = global=320
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                              ; = ssa=64 stack=192 global=320
  %q = getelementptr [4 x i64], ptr %s, i64 0, i64 %i                ; = ssa=64 stack=192 global=320
  store i64 %i, ptr %q, align 8                                      ; = ssa=128 stack=192 global=320
  %n = add nuw nsw i64 %i, 1                                         ; = ssa=64 stack=192 global=320
  %c = icmp eq i64 %n, 3                                             ; = ssa=64 stack=192 global=320
  br i1 %c, label %end, label %loop                                  ; = ssa=65 stack=192 global=320
end:
  %u = load i64, ptr @u                                              ; = stack=192 global=320
  %m = and i64 %u, 3                                                 ; = ssa=64 stack=192 global=256
  %o = getelementptr [4 x i64], ptr %s, i64 0, i64 %m                ; = ssa=64 stack=192 global=256
  %k = load i64, ptr %o, align 8                                     ; = ssa=64 stack=192 global=256
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %k                ; = ssa=64 global=256
  %x = load i32, ptr %p                                              ; = ssa=64 global=256
  ret i32 %x                                                         ; = ssa=32
}
