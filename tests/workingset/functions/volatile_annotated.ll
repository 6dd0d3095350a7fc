; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"registers": ["port"]}
; Only port is a register; flag is memory, overwritten before it is read and then dead.

@port = internal global i32 0
@flag = internal global i64 0
define i32 @main() {
  store volatile i32 1, ptr @port         ; = volatile=32
  store volatile i64 1, ptr @flag         ; = volatile=32
  %x = load volatile i64, ptr @flag       ; = volatile=32 global=64
  ret i32 0                               ; = volatile=32
}
