; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; 8 bits counted from 250, ten turns: 250 to 255, then 0 to 3. So both ends of the array are read, and here all of it counts:
; 256 x 8 bits.

@t = internal global [256 x i8] zeroinitializer
define void @main() {
  br label %loop                                                     ; = global=2048
loop:
  %i = phi i8 [ 250, %0 ], [ %n, %loop ]                             ; = ssa=8 global=2048
  %z = zext i8 %i to i64                                             ; = ssa=8 global=2048
  %p = getelementptr [256 x i8], ptr @t, i64 0, i64 %z               ; = ssa=72 global=2048
  %x = load i8, ptr %p                                               ; = ssa=72 global=2048
  %n = add i8 %i, 1                                                  ; = ssa=8 global=2048
  %c = icmp ne i8 %n, 4                                              ; = ssa=8 global=2048
  br i1 %c, label %loop, label %end                                  ; = ssa=9 global=2048
end:
  ret void                                                           ; =
}
