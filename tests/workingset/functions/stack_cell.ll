; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A local is live from its write to its last read: 32 bits between store and load.

define i32 @main() {
  %a = alloca i32                 ; =
  store i32 1, ptr %a             ; =
  %x = load i32, ptr %a           ; = stack=32
  ret i32 %x                      ; = ssa=32
}
