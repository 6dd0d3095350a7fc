; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Only one path through the callee overwrites g, so the call kills nothing.

@g = internal global i32 3
@c = internal global i1 undef
define internal void @f() {
  %c = load i1, ptr @c            ; = global=40
  br i1 %c, label %yes, label %end ; = ssa=1 global=32
yes:
  store i32 1, ptr @g             ; =
  br label %end                   ; = global=32
end:
  ret void                        ; = global=32
}
define i32 @main() {
  call void @f()                  ; = global=40
  %x = load i32, ptr @g           ; = global=32
  ret i32 %x                      ; = ssa=32
}
