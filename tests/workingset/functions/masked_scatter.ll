; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Elements of @table may be written, or not: its first, 64 bits, stays live, and so does @x, 32 bits, whose address is found there.

@x = internal global i32 1
@table = internal global [2 x ptr] zeroinitializer
declare void @llvm.masked.scatter.v2p0.v2p0(<2 x ptr>, <2 x ptr>, i32, <2 x i1>)
define i32 @main(<2 x i64> %i, <2 x i1> %m) {
  %at = getelementptr ptr, ptr @table, <2 x i64> %i                                   ; = ssa=130 global=96
  call void @llvm.masked.scatter.v2p0.v2p0(<2 x ptr> <ptr @x, ptr @x>, <2 x ptr> %at, i32 8, <2 x i1> %m) ; = ssa=130 global=96
  %p = load ptr, ptr @table                                                           ; = global=96
  %r = load i32, ptr %p                                                               ; = ssa=64 global=32
  ret i32 %r                                                                          ; = ssa=32
}
