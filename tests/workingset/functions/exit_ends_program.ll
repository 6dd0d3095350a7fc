; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; On the path to exit() nobody reads g any more: what is live after a return is not live there.

@g = internal global i32 1
@c = internal global i1 undef
declare void @exit(i32) noreturn
define internal void @f() {
  %c = load i1, ptr @c                    ; = global=40
  br i1 %c, label %stop, label %end       ; = ssa=1 global=32
stop:
  call void @exit(i32 1)                  ; =
  unreachable                             ; =
end:
  ret void                                ; = global=32
}
define i32 @main() {
  call void @f()                          ; = global=40
  %x = load i32, ptr @g                   ; = global=32
  ret i32 %x                              ; = ssa=32
}
