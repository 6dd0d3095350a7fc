; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A descriptor (64 bits) is copied into a device's window: it is read by the copy, and what it leads
; to by the device; the descriptor itself stays with the program.

@descriptor = internal global ptr null
@buf = internal global i32 0
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = global=32 ssa=32
  store ptr @buf, ptr @descriptor       ; = global=32
  call void @llvm.memcpy.p0.p0.i64(ptr inttoptr (i64 1073741824 to ptr), ptr @descriptor, i64 8, i1 false) ; = global=96
  ret i32 0                             ; = global=32
}
