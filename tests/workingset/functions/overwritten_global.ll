; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The first read needs the initial value, the second store ends that of the first: nobody reads after main.

@g = internal global i32 7
define i32 @main() {
  %x = load i32, ptr @g           ; = global=32
  store i32 %x, ptr @g            ; = ssa=32
  store i32 0, ptr @g             ; = ssa=32
  %y = load i32, ptr @g           ; = ssa=32 global=32
  %z = add i32 %x, %y             ; = ssa=64
  ret i32 %z                      ; = ssa=32
}
