; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Two calls give two arrays, so each has a copy of its own, in which the store has one target and kills.

@a = internal global i32 0
@b = internal global i32 0
define internal void @set(ptr %p, i32 %v) {
  store i32 %v, ptr %p            ; = ssa=128 global=32 min.global=0 contexts=2
  ret void                        ; = ssa=32 global=64 min.global=32
}
define i32 @main(i32 %n, ptr %unused) {
  call void @set(ptr @a, i32 %n)  ; = ssa=32
  call void @set(ptr @b, i32 %n)  ; = ssa=32 global=32
  %x = load i32, ptr @a           ; = global=64
  %y = load i32, ptr @b           ; = ssa=32 global=32
  %z = add i32 %x, %y             ; = ssa=64
  ret i32 %z                      ; = ssa=32
}
