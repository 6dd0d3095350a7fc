; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Assembly beside the functions may touch what it names, whatever it does: both words of @table, 64 bits, and @count, 32 bits, which
; therefore is no constant: @kept, 32 bits, may be read. When the program ends, code outside may still read what it knows.

module asm "bump: incl table+4(%rip); incl count(%rip); ret"
@table = internal global [2 x i32] zeroinitializer
@count = internal global i32 0
@kept = internal global i32 1
declare void @bump()
define i32 @main(i32 %v) {
  store i32 %v, ptr getelementptr (i8, ptr @table, i64 4)   ; = ssa=32 global=96
  call void @bump()                                         ; = global=128
  %c = load i32, ptr @count                                 ; = global=128
  %z = icmp eq i32 %c, 0                                    ; = ssa=32 global=128
  br i1 %z, label %done, label %more                        ; = ssa=1 global=128
more:
  %x = load i32, ptr @kept                                  ; = global=128
  ret i32 %x                                                ; = ssa=32 global=96
done:
  ret i32 0                                                 ; = global=96
}
