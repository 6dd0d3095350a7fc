; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A recursive function has no copies: which of both arrays it writes stays open, so it kills neither.

@a = internal global i32 0
@b = internal global i32 0
define internal void @set(ptr %p, i32 %n) {
  store i32 1, ptr %p                     ; = ssa=- global=64
  %c = icmp eq i32 %n, 0                  ; = ssa=- global=64
  br i1 %c, label %end, label %again      ; = ssa=- global=64
again:
  %m = sub i32 %n, 1                      ; = ssa=- global=64
  call void @set(ptr %p, i32 %m)          ; = ssa=- global=64
  br label %end                           ; = ssa=- global=64
end:
  ret void                                ; = ssa=- global=64
}
define i32 @main(i32 %n, ptr %unused) {
  call void @set(ptr @a, i32 %n)          ; = ssa=32 global=64
  call void @set(ptr @b, i32 %n)          ; = ssa=32 global=64
  %x = load i32, ptr @a                   ; = global=64
  %y = load i32, ptr @b                   ; = ssa=32 global=32
  %z = add i32 %x, %y                     ; = ssa=64
  ret i32 %z                              ; = ssa=32
}
