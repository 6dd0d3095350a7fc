; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each call gives a constant count: 4 turns write all of a (128 bits), 2 turns the first half of b,
; so that b[0] dies before the second call and b[2] (32 bits) does not.

@a = internal global [4 x i32] zeroinitializer
@b = internal global [4 x i32] zeroinitializer
define internal void @fill(ptr %p, i64 %n) {
  br label %turn                            ; = ssa=160 global=160 min.global=32
turn:
  %i = phi i64 [ 0, %0 ], [ %j, %turn ]     ; = ssa=224 global=192 min.global=160
  %q = getelementptr i32, ptr %p, i64 %i    ; = ssa=224 global=192 min.global=160
  store i32 1, ptr %q                       ; = ssa=288 global=192 min.global=160
  %j = add i64 %i, 1                        ; = ssa=224 global=192 min.global=160
  %more = icmp ult i64 %j, %n               ; = ssa=224 global=192 min.global=160
  br i1 %more, label %turn, label %end      ; = ssa=225 global=192 min.global=160
end:
  ret void                                  ; = ssa=32 global=192 min.global=160
}
define i32 @main(i32 %k, ptr %unused) {
  call void @fill(ptr @a, i64 4)            ; = ssa=32 global=32
  call void @fill(ptr @b, i64 2)            ; = ssa=32 global=160
  %i = sext i32 %k to i64                   ; = ssa=32 global=192
  %p = getelementptr i32, ptr @a, i64 %i    ; = ssa=64 global=192
  %x = load i32, ptr %p                     ; = ssa=64 global=192
  %w = load i32, ptr @b                     ; = ssa=32 global=64
  %q = getelementptr i32, ptr @b, i64 2     ; = ssa=64 global=32
  %y = load i32, ptr %q                     ; = ssa=128 global=32
  %z = add i32 %x, %w                       ; = ssa=96
  %s = add i32 %z, %y                       ; = ssa=64
  ret i32 %s                                ; = ssa=32
}
