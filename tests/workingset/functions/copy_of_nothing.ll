; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Copies of length 0 and types without bytes touch nothing, wherever a variable index leads: only
; the 32 bits of the table that are read are live.

@table = internal global [4 x i8] zeroinitializer
@other = internal global [4 x i8] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i32 @main(i64 %n) {
  %i = and i64 %n, 3                                                     ; = ssa=64 global=32
  %p = getelementptr i8, ptr @table, i64 %i                              ; = ssa=64 global=32
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @other, i64 0, i1 false)  ; = ssa=64 global=32
  call void @llvm.memcpy.p0.p0.i64(ptr @other, ptr %p, i64 0, i1 false)  ; = ssa=64 global=32
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 0, i1 false)           ; = ssa=64 global=32
  store {} zeroinitializer, ptr %p                                       ; = ssa=64 global=32
  %e = load {}, ptr %p                                                   ; = ssa=64 global=32
  %x = load i32, ptr @table                                              ; = global=32
  ret i32 %x                                                             ; = ssa=32
}
