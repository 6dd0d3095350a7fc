; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A recursive function has no copies: which of both arrays it writes stays open, so it kills neither.
; Its levels keep no value until the call below them has returned: its own values are those of one, and n of main.

@a = internal global i32 0
@b = internal global i32 0
define internal void @set(ptr %p, i32 %n) {
  store i32 1, ptr %p                     ; = ssa=128 global=64
  %c = icmp eq i32 %n, 0                  ; = ssa=128 global=64
  br i1 %c, label %end, label %again      ; = ssa=129 global=64
again:
  %m = sub i32 %n, 1                      ; = ssa=128 global=64
  call void @set(ptr %p, i32 %m)          ; = ssa=128 global=64
  br label %end                           ; = ssa=32 global=64
end:
  ret void                                ; = ssa=32 global=64
}
define i32 @main(i32 %n, ptr %unused) {
  call void @set(ptr @a, i32 %n)          ; = ssa=32 global=64
  call void @set(ptr @b, i32 %n)          ; = ssa=32 global=64
  %x = load i32, ptr @a                   ; = global=64
  %y = load i32, ptr @b                   ; = ssa=32 global=32
  %z = add i32 %x, %y                     ; = ssa=64
  ret i32 %z                              ; = ssa=32
}
