; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; exit() leaves no frame: the handler reads, through p of 64 bits, a local of 32 bits of the function that called it.
; As it may be registered twice, that is still live at its end.

@p = internal global ptr null
declare i32 @atexit(ptr)
declare void @exit(i32) noreturn
define internal void @bye() {
  %q = load ptr, ptr @p                   ; = stack=32 global=64
  %x = load i32, ptr %q                   ; = ssa=64 stack=32 global=64
  ret void                                ; = stack=32 global=64
}
define internal void @work() {
  %v = alloca i32                         ; =
  store i32 7, ptr %v                     ; =
  store ptr %v, ptr @p                    ; = stack=32
  call void @exit(i32 0)                  ; = stack=32 global=64
  unreachable                             ; =
}
define i32 @main() {
  %r = call i32 @atexit(ptr @bye)         ; =
  call void @work()                       ; =
  ret i32 0                               ; = stack=32 global=64
}
