; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; After its lifetime has ended a local holds nothing, and before it has begun neither.

declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
define i32 @main() {
  %a = alloca i32                                  ; =
  call void @llvm.lifetime.start.p0(i64 4, ptr %a) ; =
  store i32 1, ptr %a                              ; =
  %x = load i32, ptr %a                            ; = stack=32
  call void @llvm.lifetime.end.p0(i64 4, ptr %a)   ; = ssa=32
  ret i32 %x                                       ; = ssa=32
}
