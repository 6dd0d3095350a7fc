; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A volatile global belongs to whoever changes it behind our back: always live, in a class of its own.

@port = internal global i32 0
define i32 @main() {
  store volatile i32 1, ptr @port         ; = volatile=32
  ret i32 0                               ; = volatile=32
}
