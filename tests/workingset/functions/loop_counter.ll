; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A counter in memory is read before it is written in each turn: live all along, until the last comparison.

define i32 @main() {
  %a = alloca i32                 ; =
  store i32 0, ptr %a             ; =
  br label %loop                  ; = stack=32
loop:
  %i = load i32, ptr %a           ; = stack=32
  %n = add i32 %i, 1              ; = ssa=32
  store i32 %n, ptr %a            ; = ssa=32
  %c = icmp slt i32 %n, 10        ; = ssa=32 stack=32
  br i1 %c, label %loop, label %end ; = ssa=1 stack=32
end:
  ret i32 0                       ; =
}
