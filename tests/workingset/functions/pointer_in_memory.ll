; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The pointer's own 64 bits are live too; the store through the loaded pointer kills its one target.

@p = internal global ptr @g
@g = internal global i32 1
define i32 @main() {
  %q = load ptr, ptr @p           ; = global=64
  store i32 2, ptr %q             ; = ssa=64
  %x = load i32, ptr @g           ; = global=32
  ret i32 %x                      ; = ssa=32
}
