; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"recursion": {"f": 6}}
; Each level keeps n, 32 bits, until the call below it has returned. Of six the innermost has called nobody: 5 * 32 = 160 bits.

define internal i32 @f(i32 %n) {
  %c = icmp eq i32 %n, 0                  ; = ssa=192 min.ssa=32
  br i1 %c, label %end, label %more       ; = ssa=193 min.ssa=33
more:
  %m = sub i32 %n, 1                      ; = ssa=192 min.ssa=32
  %r = call i32 @f(i32 %m)                ; = ssa=224 min.ssa=64
  %s = add i32 %r, %n                     ; = ssa=224 min.ssa=64
  ret i32 %s                              ; = ssa=192 min.ssa=32
end:
  ret i32 0                               ; = ssa=160 min.ssa=0
}
define i32 @main() {
  %x = call i32 @f(i32 5)                 ; =
  ret i32 %x                              ; = ssa=32
}
