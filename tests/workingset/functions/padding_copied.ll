; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A struct of 1 and 4 bytes has 24 bits of padding between them. Accesses of fields leave it alone
; (c: 8 + 32); a copy of the whole reads it (a: 64), for what is copied may be compared, hashed or
; written to a file byte by byte.

%pair = type { i8, i32 }
@a = internal global %pair zeroinitializer
@b = internal global %pair zeroinitializer
@c = internal global %pair zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @main() {
  call void @llvm.memcpy.p0.p0.i64(ptr @b, ptr @a, i64 8, i1 false)  ; = global=104
  %f = load i8, ptr @c                                               ; = global=72
  %p = getelementptr %pair, ptr @c, i64 0, i32 1                     ; = ssa=8 global=64
  %g = load i32, ptr %p                                              ; = ssa=72 global=64
  %q = getelementptr %pair, ptr @b, i64 0, i32 1                     ; = ssa=40 global=32
  %h = load i32, ptr %q                                              ; = ssa=104 global=32
  %s = add i32 %g, %h                                                ; = ssa=72
  %w = zext i8 %f to i32                                             ; = ssa=40
  %t = add i32 %s, %w                                                ; = ssa=64
  ret i32 %t                                                         ; = ssa=32
}
