; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"recursion": {"f": 3, "g": 2}}
; f keeps n, 32 bits, and g keeps w, 64 bits, while the other one runs: 3 * 32 + 2 * 64 = 224 bits at most.

define internal i32 @f(i32 %n) {
  %r = call i64 @g(i32 %n)                ; = ssa=256
  %t = trunc i64 %r to i32                ; = ssa=320
  %s = add i32 %t, %n                     ; = ssa=288
  ret i32 %s                              ; = ssa=256
}
define internal i64 @g(i32 %n) {
  %c = icmp eq i32 %n, 0                  ; = ssa=256
  br i1 %c, label %end, label %more       ; = ssa=257
more:
  %w = zext i32 %n to i64                 ; = ssa=256
  %m = sub i32 %n, 1                      ; = ssa=320
  %r = call i32 @f(i32 %m)                ; = ssa=320
  %z = zext i32 %r to i64                 ; = ssa=320
  %s = add i64 %z, %w                     ; = ssa=352
  ret i64 %s                              ; = ssa=288
end:
  ret i64 0                               ; = ssa=224
}
define i32 @main() {
  %x = call i32 @f(i32 5)                 ; =
  ret i32 %x                              ; = ssa=32
}
