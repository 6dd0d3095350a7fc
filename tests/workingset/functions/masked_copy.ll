; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Addresses go from @from, 128 bits, to @to, of which 64 are read, where a mask of 2 bits says so; what is behind them, @x, 32
; bits, is live all the while. What is stored may be stored in part: it ends nothing.

@x = internal global i32 1
@from = internal global <2 x ptr> <ptr @x, ptr @x>
@to = internal global <2 x ptr> zeroinitializer
declare <2 x ptr> @llvm.masked.load.v2p0.p0(ptr, i32, <2 x i1>, <2 x ptr>)
declare void @llvm.masked.store.v2p0.p0(<2 x ptr>, ptr, i32, <2 x i1>)
define i32 @main(<2 x i1> %m) {
  %v = call <2 x ptr> @llvm.masked.load.v2p0.p0(ptr @from, i32 16, <2 x i1> %m, <2 x ptr> zeroinitializer) ; = ssa=2 global=224
  call void @llvm.masked.store.v2p0.p0(<2 x ptr> %v, ptr @to, i32 16, <2 x i1> %m)    ; = ssa=130 global=96
  %p = load ptr, ptr @to                                                              ; = global=96
  %r = load i32, ptr %p                                                               ; = ssa=64 global=32
  ret i32 %r                                                                          ; = ssa=32
}
