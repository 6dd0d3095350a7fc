; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A constant that a device is told of is live, too: 2 bytes.

@text = internal constant [2 x i8] c"A\00"
@register = external global ptr
define i32 @main() {
  store volatile ptr @text, ptr @register    ; = const=16
  ret i32 0                                  ; = const=16
}
