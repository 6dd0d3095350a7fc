; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Steps of 4, 2 and 1 elements: three turns read elements 0, 4 and 6 of 8, 3 x 32 bits.

@t = internal global [8 x i32] zeroinitializer
define i32 @main() {
  br label %loop                                         ; = global=96
loop:
  %p = phi ptr [ @t, %0 ], [ %p.n, %loop ]               ; = ssa=128 global=96
  %x = phi i64 [ 4, %0 ], [ %x.n, %loop ]                ; = ssa=128 global=96
  %v = load i32, ptr %p                                  ; = ssa=128 global=96
  %p.n = getelementptr i32, ptr %p, i64 %x               ; = ssa=128 global=96
  %x.n = lshr i64 %x, 1                                  ; = ssa=128 global=96
  %c = icmp eq i64 %x.n, 0                               ; = ssa=128 global=96
  br i1 %c, label %end, label %loop                      ; = ssa=129 global=96
end:
  ret i32 0                                              ; =
}
