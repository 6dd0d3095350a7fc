; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The number of the page that buf (32 bits) lies in, shifted into a field of a register.

@buf = internal global i32 0
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = global=32 ssa=32
  %a = ptrtoint ptr @buf to i64         ; = global=32
  %n = lshr i64 %a, 12                  ; = global=32 ssa=64
  %p = trunc i64 %n to i32              ; = global=32 ssa=64
  %m = mul i32 %p, 16                   ; = global=32 ssa=32
  %f = sub i32 %m, 3                    ; = global=32 ssa=32
  store volatile i32 %f, ptr inttoptr (i64 1073741824 to ptr) ; = global=32 ssa=32
  ret i32 0                             ; = global=32
}
