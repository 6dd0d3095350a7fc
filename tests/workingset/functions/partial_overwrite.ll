; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A store of half a value kills that half: of 64 bits the upper 32 stay live.

@g = internal global i64 1
define i64 @main() {
  store i32 5, ptr @g             ; = global=32
  %x = load i64, ptr @g           ; = global=64
  ret i64 %x                      ; = ssa=64
}
