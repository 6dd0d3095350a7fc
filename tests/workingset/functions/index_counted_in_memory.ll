; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Each turn stores one more than it has loaded, and nobody knows how many there are: all 8 elements, 256 bits.

@t = internal global [8 x i32] zeroinitializer
@i = internal global i64 1
@u = internal global i32 undef
define i32 @main() {
  br label %loop                                                     ; = global=352
loop:
  %i = load i64, ptr @i                                              ; = global=352
  %n = add i64 %i, 1                                                 ; = ssa=64 global=288
  store i64 %n, ptr @i                                               ; = ssa=128 global=288
  %p = getelementptr [8 x i32], ptr @t, i64 0, i64 %i                ; = ssa=64 global=352
  %x = load i32, ptr %p                                              ; = ssa=64 global=352
  %u = load i32, ptr @u                                              ; = ssa=32 global=352
  %c = icmp eq i32 %u, 0                                             ; = ssa=64 global=352
  br i1 %c, label %loop, label %end                                  ; = ssa=33 global=352
end:
  ret i32 %x                                                         ; = ssa=32
}
