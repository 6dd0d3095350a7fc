; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; memcpy of 8 bytes reads 64 bits of the source and kills 64 of the target; the other 64 stay live.

@from = internal global [16 x i8] zeroinitializer
@to = internal global [16 x i8] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i128 @main() {
  call void @llvm.memcpy.p0.p0.i64(ptr @to, ptr @from, i64 8, i1 false)  ; = global=128
  %x = load i128, ptr @to                                                ; = global=128
  ret i128 %x                                                            ; = ssa=128
}
