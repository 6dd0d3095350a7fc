; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; first is given to a device by its address, which is a number; in first lies the address of second,
; and the device may write into second, which is volatile, so a register: what the program stores there,
; third, goes on to a device. All are always live: 64 bits of first, 32 of third; 64 of second, volatile.

@first = internal global ptr null
@second = internal global ptr null
@third = internal global i32 0
define i32 @main(i32 %v) {
  store i32 %v, ptr @third                                   ; = global=96 volatile=64 ssa=32
  store ptr @second, ptr @first                              ; = global=96 volatile=64
  store volatile ptr @first, ptr inttoptr (i64 1073741824 to ptr) ; = global=96 volatile=64
  store volatile ptr @third, ptr @second                     ; = global=96 volatile=64
  ret i32 0                                                  ; = global=96 volatile=64
}
