; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A process of Linux has nothing at 1: that is a mark, no device's address. As without it, the store
; gives nothing away.

target triple = "x86_64-pc-linux-gnu"
@buf = internal global i32 0
@place = internal global ptr null
define i32 @main(i32 %v) {
  %c = icmp eq i32 %v, 1                                          ; = ssa=32
  %p = select i1 %c, ptr @place, ptr inttoptr (i64 1 to ptr)      ; = ssa=1
  store ptr @buf, ptr %p                                          ; = ssa=64
  ret i32 0                                                       ; =
}
