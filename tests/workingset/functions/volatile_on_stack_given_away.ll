; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Who was told where it is may have written it and may look before each write: that overwrites nothing.

declare void @watch(ptr)
define i32 @main() {
  %a = alloca i32                         ; =
  call void @watch(ptr %a)                ; =
  store volatile i32 1, ptr %a            ; = volatile=32
  store volatile i32 2, ptr %a            ; = volatile=32
  ret i32 0                               ; =
}
