; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Turns pass the index on to each other, at first 0, else one of their numbers 0 to 2: elements 0 to 2 of 8, 96 bits.

@t = internal global [8 x i32] zeroinitializer
@u = internal global i32 undef
define i32 @main() {
  br label %loop                                                     ; = global=128
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                              ; = ssa=128 global=128
  %r = phi i64 [ 0, %0 ], [ %s, %loop ]                              ; = ssa=128 global=128
  %u = load i32, ptr @u                                              ; = ssa=128 global=128
  %b = icmp eq i32 %u, 0                                             ; = ssa=160 global=128
  %s = select i1 %b, i64 %i, i64 %r                                  ; = ssa=129 global=128
  %n = add nsw i64 %i, 1                                             ; = ssa=128 global=128
  %c = icmp slt i64 %n, 3                                            ; = ssa=128 global=128
  br i1 %c, label %loop, label %end                                  ; = ssa=129 global=128
end:
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %s                ; = ssa=64 global=96
  %x = load i32, ptr %p                                              ; = ssa=64 global=96
  ret i32 %x                                                         ; = ssa=32
}
