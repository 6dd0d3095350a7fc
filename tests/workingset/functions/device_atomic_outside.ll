; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; An atomic store to a variable of another file gives buf (32 bits) to a device, as a volatile one does.

@buf = internal global i32 0
@list = external global ptr
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                           ; = global=32 ssa=32
  store atomic ptr @buf, ptr @list release, align 8 ; = global=32
  ret i32 0                                        ; = global=32
}
