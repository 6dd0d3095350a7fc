; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A variable holds where a device's registers are (64 bits, live until it is read); through it, at an
; offset, goes an address, by a store that is not volatile.

@registers = internal global ptr inttoptr (i64 1073741824 to ptr)
@buf = internal global i32 0
define void @move() {
  store ptr inttoptr (i64 1073745920 to ptr), ptr @registers ; = global=32
  ret void                              ; = global=96
}
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = global=32 ssa=32
  call void @move()                     ; = global=32
  %r = load ptr, ptr @registers         ; = global=96
  %p = getelementptr i8, ptr %r, i64 8  ; = global=32 ssa=64
  store ptr @buf, ptr %p                ; = global=32 ssa=64
  ret i32 0                             ; = global=32
}
