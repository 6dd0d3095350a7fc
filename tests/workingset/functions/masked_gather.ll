; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Which of 4 elements are read, 128 bits, a vector of addresses says, which are all kept: the index has 2 * 64 bits, the mask 2.

@table = internal global [4 x i32] zeroinitializer
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
define <2 x i32> @main(<2 x i64> %i, <2 x i1> %m) {
  %at = getelementptr i32, ptr @table, <2 x i64> %i                                   ; = ssa=130 global=128
  %x = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %at, i32 4, <2 x i1> %m, <2 x i32> zeroinitializer) ; = ssa=130 global=128
  ret <2 x i32> %x                                                                    ; = ssa=64
}
