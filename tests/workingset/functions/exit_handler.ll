; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The handler runs after main and after exit(): what it reads is live up to the end of both.

@g = internal global i32 1
@c = internal global i1 false
declare i32 @atexit(ptr)
declare void @exit(i32) noreturn
define internal void @bye() {
  %x = load i32, ptr @g                   ; = global=32
  store i32 %x, ptr @c                    ; = ssa=32 global=32
  ret void                                ; = global=32
}
define i32 @main() {
  %r = call i32 @atexit(ptr @bye)         ; = global=40
  %c = load i1, ptr @c                    ; = global=40
  br i1 %c, label %stop, label %end       ; = ssa=1 global=32
stop:
  call void @exit(i32 1)                  ; = global=32
  unreachable                             ; =
end:
  ret i32 0                               ; = global=32
}
