; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Where the registers are only another file knows; the store there is volatile. It may go to buf, too, so
; that is in the class of what is accessed as volatile.

@registers = external global ptr
@buf = internal global i32 0
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = volatile=32 ssa=32
  %r = load ptr, ptr @registers         ; = volatile=32
  store volatile ptr @buf, ptr %r       ; = volatile=32 ssa=64
  ret i32 0                             ; = volatile=32
}
