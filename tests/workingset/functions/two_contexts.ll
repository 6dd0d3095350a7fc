; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; g is live in f when it is called first. At the second call it no longer is, but x is, in the caller. The largest
; sum is 32: no context has both.

@g = internal global i32 3
define internal void @f() {
  ret void                        ; = ssa=32 global=32 total=32 min.ssa=0 min.global=0 min.total=32 contexts=2
}
define i32 @main() {
  call void @f()                  ; = global=32
  %x = load i32, ptr @g           ; = global=32
  call void @f()                  ; = ssa=32
  ret i32 %x                      ; = ssa=32
}
