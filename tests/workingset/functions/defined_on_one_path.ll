; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; After the join the local may have been written: live there, on the path that did not write it not.

@c = internal global i1 undef
define i32 @main() {
  %a = alloca i32                 ; = global=8
  %c = load i1, ptr @c            ; = global=8
  br i1 %c, label %yes, label %no ; = ssa=1
yes:
  store i32 1, ptr %a             ; =
  br label %end                   ; = stack=32
no:
  br label %end                   ; =
end:
  %x = load i32, ptr %a           ; = stack=32
  ret i32 %x                      ; = ssa=32
}
