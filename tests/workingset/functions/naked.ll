; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A naked function is left by its assembly, so what main reads afterwards, @table, 32 bits, is live in it; and it finds in
; registers what it was given: the address of @given, 32 bits, which it may read.

@given = internal global i32 1
@table = internal global i32 0
define internal i32 @get(ptr %a) naked noinline {
  call void asm sideeffect "movl (%rdi), %eax; ret", ""()   ; = ssa=64 global=64
  unreachable                                               ; = global=32
}
define i32 @main(i32 %v) {
  store i32 %v, ptr @table                                  ; = ssa=32 global=32
  %r = call i32 @get(ptr @given)                            ; = global=64
  %x = load i32, ptr @table                                 ; = ssa=32 global=32
  %s = sub i32 %r, %x                                       ; = ssa=64
  ret i32 %s                                                ; = ssa=32
}
