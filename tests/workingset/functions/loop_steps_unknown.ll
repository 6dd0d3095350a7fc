; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The first step was in memory: three turns may read any element.

@t = internal global [8 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  %s = load i64, ptr @u                                  ; = global=320
  br label %loop                                         ; = ssa=64 global=256
loop:
  %p = phi ptr [ @t, %0 ], [ %p.n, %loop ]               ; = ssa=160 global=256
  %x = phi i64 [ %s, %0 ], [ %x.n, %loop ]               ; = ssa=160 global=256
  %i = phi i32 [ 0, %0 ], [ %i.n, %loop ]                ; = ssa=160 global=256
  %v = load i32, ptr %p                                  ; = ssa=160 global=256
  %p.n = getelementptr i32, ptr %p, i64 %x               ; = ssa=160 global=256
  %x.n = lshr i64 %x, 1                                  ; = ssa=160 global=256
  %i.n = add i32 %i, 1                                   ; = ssa=160 global=256
  %c = icmp eq i32 %i.n, 3                               ; = ssa=160 global=256
  br i1 %c, label %end, label %loop                      ; = ssa=161 global=256
end:
  ret i32 0                                              ; =
}
