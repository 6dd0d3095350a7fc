; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A loop that never ends reaches no exit: only what it reads itself is live.

@g = internal global i32 1
@h = internal global i32 1
define i32 @main() {
  br label %loop                  ; = global=32
loop:
  %x = load i32, ptr @g           ; = global=32
  %y = add i32 %x, 1              ; = ssa=32
  store i32 %y, ptr @g            ; = ssa=32
  br label %loop                  ; = global=32
}
