; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Nothing leads to the recursion, of which no copy is analysed; its annotation says nothing wrong.
; annotations: {"recursion": {"f": 3}}

define internal i32 @f(i32 %n) {
  %m = call i32 @f(i32 %n)  ; = status=unreached ssa=- stack=- global=- const=- heap=- volatile=-
  ret i32 %m                ; = status=unreached ssa=- stack=- global=- const=- heap=- volatile=-
}
define i32 @main() {
  ret i32 0                 ; =
}
