; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"registers": []}
; The volatile variable is none, so no device learns of buf: both are memory that nobody reads.

@register = internal global i64 0
@buf = internal global i32 0
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                     ; = ssa=32
  %a = ptrtoint ptr @buf to i64              ; =
  store volatile i64 %a, ptr @register       ; = ssa=64
  ret i32 0                                  ; =
}
