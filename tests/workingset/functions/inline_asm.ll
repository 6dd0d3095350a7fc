; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Assembly that touches memory may read everything that has escaped to it.

@g = internal global i32 1
define i32 @main() {
  call void asm sideeffect "", "r,~{memory}"(ptr @g)   ; = global=32
  ret i32 0                                            ; =
}
