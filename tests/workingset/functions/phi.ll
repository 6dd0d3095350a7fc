; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A phi's operands are live at the ends of the blocks before, its result from the start of its block.

@c = internal global i1 undef
@g = internal global i32 5
define i32 @main() {
  %c = load i1, ptr @c                     ; = global=40
  br i1 %c, label %yes, label %end         ; = ssa=1 global=32
yes:
  %v = load i32, ptr @g                    ; = global=32
  br label %end                            ; = ssa=32
end:
  %x = phi i32 [ %v, %yes ], [ 1, %0 ]     ; = ssa=32
  ret i32 %x                               ; = ssa=32
}
