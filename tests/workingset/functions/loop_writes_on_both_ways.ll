; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each turn takes one of two ways, and both write the same element: nothing of the array was there before. u has 64 bits.

@t = internal global [4 x i32] zeroinitializer
@u = internal global i64 undef
define i32 @main() {
  br label %head                                                     ; = global=64
head:
  %i = phi i64 [ 0, %0 ], [ %n, %next ]                              ; = ssa=64 global=192
  %p = getelementptr [4 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=192
  %k = load i64, ptr @u                                              ; = ssa=128 global=192
  %d = icmp eq i64 %k, %i                                            ; = ssa=192 global=192
  br i1 %d, label %yes, label %no                                    ; = ssa=193 global=192
yes:
  store i32 7, ptr %p                                                ; = ssa=192 global=192
  br label %next                                                     ; = ssa=128 global=192
no:
  store i32 8, ptr %p                                                ; = ssa=192 global=192
  br label %next                                                     ; = ssa=128 global=192
next:
  %n = add nsw i64 %i, 1                                             ; = ssa=128 global=192
  %c = icmp slt i64 %n, 4                                            ; = ssa=128 global=192
  br i1 %c, label %head, label %end                                  ; = ssa=129 global=192
end:
  %m = and i64 %k, 3                                                 ; = ssa=64 global=128
  %q = getelementptr [4 x i32], ptr @t, i64 0, i64 %m                ; = ssa=64 global=128
  %z = load i32, ptr %q                                              ; = ssa=64 global=128
  ret i32 %z                                                         ; = ssa=32
}
