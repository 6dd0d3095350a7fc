; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; What was never written holds nothing: the load reads garbage, no bits move for it.

define i32 @main() {
  %a = alloca i32                 ; =
  %x = load i32, ptr %a           ; =
  ret i32 %x                      ; = ssa=32
}
