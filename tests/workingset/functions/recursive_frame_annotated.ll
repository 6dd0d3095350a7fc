; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"recursion": {"f": 3}}
; Each of three frames holds 64 bits that are read after the call: 192 bits. They are written before any level calls.

define internal void @f(i1 %more) {
  %v = alloca i64                         ; = stack=192 ssa=1
  store i64 1, ptr %v                     ; = stack=192 ssa=1
  br i1 %more, label %call, label %end    ; = stack=192 ssa=1
call:
  call void @f(i1 false)                  ; = stack=192
  br label %end                           ; = stack=192
end:
  %y = load i64, ptr %v                   ; = stack=192
  ret void                                ; = stack=192
}
define i32 @main() {
  call void @f(i1 true)                   ; =
  ret i32 0                               ; =
}
