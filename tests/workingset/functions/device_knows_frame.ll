; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A buffer in a frame (64 bits) that a device knows counts everywhere, also where its frame is not.

@register = external global ptr
define internal void @send(i64 %v) {
  %a = alloca i64                            ; = stack=64 ssa=64
  store i64 %v, ptr %a                       ; = stack=64 ssa=64
  store volatile ptr %a, ptr @register       ; = stack=64
  ret void                                   ; = stack=64
}
define i32 @main(i64 %v) {
  call void @send(i64 %v)                    ; = stack=64 ssa=64
  ret i32 0                                  ; = stack=64
}
