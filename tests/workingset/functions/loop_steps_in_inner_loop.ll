; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The inner loop goes on by 1 and 2 elements, the outer one from where it ended: at 0 and 3, 1 and 4, and none of that is
; computed in the turns of one loop alone.

@t = internal global [8 x i32] zeroinitializer
define i32 @main() {
  br label %row                                          ; = global=256
row:
  %q = phi ptr [ @t, %0 ], [ %p.n, %next ]               ; = ssa=96 global=256
  %j = phi i32 [ 0, %0 ], [ %j.n, %next ]                ; = ssa=96 global=256
  br label %loop                                         ; = ssa=96 global=256
loop:
  %p = phi ptr [ %q, %row ], [ %p.n, %loop ]             ; = ssa=160 global=256
  %x = phi i64 [ 1, %row ], [ %x.n, %loop ]              ; = ssa=160 global=256
  %v = load i32, ptr %p                                  ; = ssa=160 global=256
  %p.n = getelementptr i32, ptr %p, i64 %x               ; = ssa=160 global=256
  %x.n = shl i64 %x, 1                                   ; = ssa=160 global=256
  %c = icmp eq i64 %x.n, 4                               ; = ssa=160 global=256
  br i1 %c, label %next, label %loop                     ; = ssa=161 global=256
next:
  %j.n = add i32 %j, 1                                   ; = ssa=96 global=256
  %d = icmp eq i32 %j.n, 2                               ; = ssa=96 global=256
  br i1 %d, label %end, label %row                       ; = ssa=97 global=256
end:
  ret i32 0                                              ; =
}
