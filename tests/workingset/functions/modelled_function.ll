; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; strlen reads the text and keeps nothing: after it the text is dead.

@text = internal global [4 x i8] c"abc\00"
declare i64 @strlen(ptr)
define i64 @main() {
  %n = call i64 @strlen(ptr @text)        ; = global=32
  ret i64 %n                              ; = ssa=64
}
