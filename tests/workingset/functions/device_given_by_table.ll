; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A bit of buf's address, which is a multiple of 4, is looked up in a table (16 bits, until then). So a device
; knows buf (32 bits).

@digits = internal constant [2 x i8] c"01"
@buf = internal global i32 0
@register = external global i8
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                           ; = global=32 const=16 ssa=32
  %a = ptrtoint ptr @buf to i64                    ; = global=32 const=16
  %s = lshr i64 %a, 2                              ; = global=32 const=16 ssa=64
  %b = and i64 %s, 1                               ; = global=32 const=16 ssa=64
  %p = getelementptr i8, ptr @digits, i64 %b       ; = global=32 const=16 ssa=64
  %c = load i8, ptr %p                             ; = global=32 const=16 ssa=64
  store volatile i8 %c, ptr @register              ; = global=32 ssa=8
  ret i32 0                                        ; = global=32
}
