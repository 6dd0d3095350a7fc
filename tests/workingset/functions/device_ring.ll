; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A ring of one descriptor: what it holds is stored as any memory, then its own address goes to the
; device. So the device knows ring (8 bytes) and text (4), always live; aside leads nowhere: dead.

@ring = internal global i64 0
@text = internal global i32 0
@aside = internal global i32 0
@doorbell = external global i64
define i32 @main(i32 %v) {
  store i32 %v, ptr @text               ; = global=96 ssa=32
  store i32 %v, ptr @aside              ; = global=96 ssa=32
  %t = ptrtoint ptr @text to i64        ; = global=96
  store i64 %t, ptr @ring               ; = global=96 ssa=64
  %r = ptrtoint ptr @ring to i64        ; = global=96
  store volatile i64 %r, ptr @doorbell  ; = global=96 ssa=64
  ret i32 0                             ; = global=96
}
