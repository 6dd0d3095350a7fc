; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The same counted from 124 as signed numbers, from the middle of the array on: 124 to 127, then -128 to -123. 256 x 8 bits.

@t = internal global [256 x i8] zeroinitializer
define void @main() {
  br label %loop                                                     ; = global=2048
loop:
  %i = phi i8 [ 124, %0 ], [ %n, %loop ]                             ; = ssa=8 global=2048
  %z = sext i8 %i to i64                                             ; = ssa=8 global=2048
  %q = getelementptr [256 x i8], ptr @t, i64 0, i64 128              ; = ssa=72 global=2048
  %p = getelementptr i8, ptr %q, i64 %z                              ; = ssa=136 global=2048
  %x = load i8, ptr %p                                               ; = ssa=72 global=2048
  %n = add i8 %i, 1                                                  ; = ssa=8 global=2048
  %c = icmp ne i8 %n, -122                                           ; = ssa=8 global=2048
  br i1 %c, label %loop, label %end                                  ; = ssa=9 global=2048
end:
  ret void                                                           ; =
}
