; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each job gives out to the device; it is live between jobs, too. in is read by the next job first.

@in = global i32 0
@out = internal global i32 0
@register = external global ptr
define void @benchmark_execution() {
  %x = load i32, ptr @in                     ; = global=64
  store i32 %x, ptr @out                     ; = global=64 ssa=32
  store volatile ptr @out, ptr @register     ; = global=64
  ret void                                   ; = global=64
}
