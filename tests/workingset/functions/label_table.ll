; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A table of labels is read to go on at one of them. The labels themselves are code, no data.

@labels = internal constant [2 x ptr] [ptr blockaddress(@main, %a), ptr blockaddress(@main, %b)]
define i32 @main(i64 %n) {
  %place = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %n  ; = ssa=64 const=128
  %label = load ptr, ptr %place                                 ; = ssa=64 const=128
  indirectbr ptr %label, [label %a, label %b]                   ; = ssa=64
a:
  ret i32 1                                                     ; =
b:
  ret i32 2                                                     ; =
}
