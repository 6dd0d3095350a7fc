; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each store leaves every second element out, both together none. u has 64 bits.

@t = internal global [4 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  br label %loop                                                     ; = global=64
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                              ; = ssa=64 global=192
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=192
  store i32 7, ptr %p                                                ; = ssa=128 global=192
  %j = add nsw i64 %i, 1                                             ; = ssa=64 global=192
  %o = getelementptr [4 x i32], ptr @t, i64 0, i64 %j                ; = ssa=128 global=192
  store i32 8, ptr %o                                                ; = ssa=128 global=192
  %n = add nsw i64 %i, 2                                             ; = ssa=64 global=192
  %c = icmp slt i64 %n, 4                                            ; = ssa=64 global=192
  br i1 %c, label %loop, label %end                                  ; = ssa=65 global=192
end:
  %k = load i64, ptr @u                                              ; = global=192
  %m = and i64 %k, 3                                                 ; = ssa=64 global=128
  %q = getelementptr [4 x i32], ptr @t, i64 0, i64 %m                ; = ssa=64 global=128
  %z = load i32, ptr %q                                              ; = ssa=64 global=128
  ret i32 %z                                                         ; = ssa=32
}
