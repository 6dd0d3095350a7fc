; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; strdup writes the block that it returns. How long the text is only a run knows: neither class nor block have a figure.

@text = internal global [4 x i8] c"abc\00"
declare ptr @strdup(ptr)
define i32 @main() {
  %p = call ptr @strdup(ptr @text)        ; = global=32
  %x = load i32, ptr %p                   ; = ssa=64 heap=- level=0
  ret i32 %x                              ; = ssa=32
}
