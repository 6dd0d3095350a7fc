; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A branch on an address chooses between two numbers for a device. It is not followed: buf is dead, as any
; other variable that is never read.

@buf = internal global i32 0
@register = external global i8
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                           ; = ssa=32
  %a = ptrtoint ptr @buf to i64                    ; =
  %b = and i64 %a, 4                               ; = ssa=64
  %c = icmp eq i64 %b, 0                           ; = ssa=64
  br i1 %c, label %zero, label %one                ; = ssa=1
zero:
  store volatile i8 0, ptr @register               ; =
  ret i32 0                                        ; =
one:
  store volatile i8 1, ptr @register               ; =
  ret i32 0                                        ; =
}
