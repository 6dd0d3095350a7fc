; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each arm needs another global; before the switch all are live.

@a = internal global i8 1
@b = internal global i16 1
@k = internal global i32 undef
define i32 @main() {
  %k = load i32, ptr @k                            ; = global=56
  switch i32 %k, label %other [ i32 0, label %one ] ; = ssa=32 global=24
one:
  %x = load i8, ptr @a                             ; = global=8
  ret i32 1                                        ; =
other:
  %y = load i16, ptr @b                            ; = global=16
  ret i32 2                                        ; =
}
