; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Two turns of 8 bytes fill the array: nothing of it was there before. u has 64 bits, what is copied 64.

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@s = internal global [2 x i32] zeroinitializer
@t = internal global [4 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  br label %loop                                                     ; = global=128
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]                              ; = ssa=64 global=256
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=256
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @s, i64 8, i1 false)  ; = ssa=128 global=256
  %n = add nsw i64 %i, 2                                             ; = ssa=64 global=256
  %c = icmp slt i64 %n, 4                                            ; = ssa=64 global=256
  br i1 %c, label %loop, label %end                                  ; = ssa=65 global=256
end:
  %k = load i64, ptr @u                                              ; = global=192
  %m = and i64 %k, 3                                                 ; = ssa=64 global=128
  %q = getelementptr [4 x i32], ptr @t, i64 0, i64 %m                ; = ssa=64 global=128
  %z = load i32, ptr %q                                              ; = ssa=64 global=128
  ret i32 %z                                                         ; = ssa=32
}
