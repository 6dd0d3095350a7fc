; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Whose address is taken may be called from elsewhere, too: one body for all calls, that kills nothing.

@a = internal global i32 0
@b = internal global i32 0
@f = internal global { ptr } { ptr @set }
define internal void @set(ptr %p) {
  store i32 1, ptr %p             ; = ssa=64 global=128
  ret void                        ; = global=128 min.global=64
}
define i32 @main() {
  call void @set(ptr @a)          ; = global=128
  call void @set(ptr @b)          ; = global=128
  %f = load ptr, ptr @f           ; = global=128
  call void %f(ptr @a)            ; = ssa=64 global=64
  %x = load i32, ptr @a           ; = global=64
  %y = load i32, ptr @b           ; = ssa=32 global=32
  %z = add i32 %x, %y             ; = ssa=64
  ret i32 %z                      ; = ssa=32
}
