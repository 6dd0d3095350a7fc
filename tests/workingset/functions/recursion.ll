; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each level keeps n, 32 bits, until the call below it has returned: no bound, 32 bits per level.

define internal i32 @f(i32 %n) {
  %c = icmp eq i32 %n, 0                  ; = ssa=- level=32 min.ssa=32
  br i1 %c, label %end, label %more       ; = ssa=- level=32 min.ssa=33
more:
  %m = sub i32 %n, 1                      ; = ssa=- level=32 min.ssa=32
  %r = call i32 @f(i32 %m)                ; = ssa=- level=32 min.ssa=64
  %s = add i32 %r, %n                     ; = ssa=- level=32 min.ssa=64
  ret i32 %s                              ; = ssa=- level=32 min.ssa=32
end:
  ret i32 0                               ; = ssa=- level=32 min.ssa=0
}
define i32 @main() {
  %x = call i32 @f(i32 5)                 ; =
  ret i32 %x                              ; = ssa=32
}
