; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The situation of a caller is that of its callees: the kill is known two calls below, at an offset.

@a = internal global [2 x i32] zeroinitializer
@b = internal global [2 x i32] zeroinitializer
define internal void @set(ptr %p) {
  store i32 1, ptr %p                       ; = ssa=64 global=32 min.global=0 contexts=2
  ret void                                  ; = global=64 min.global=32
}
define internal void @outer(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4      ; = ssa=64 global=32
  call void @set(ptr %q)                    ; = ssa=64 global=32
  ret void                                  ; = global=64 min.global=32
}
define i32 @main() {
  call void @outer(ptr @a)                  ; =
  call void @outer(ptr @b)                  ; = global=32
  %q = getelementptr i8, ptr @a, i64 4      ; = global=64
  %x = load i32, ptr %q                     ; = ssa=64 global=64
  %r = getelementptr i8, ptr @b, i64 4      ; = ssa=32 global=32
  %y = load i32, ptr %r                     ; = ssa=96 global=32
  %z = add i32 %x, %y                       ; = ssa=64
  ret i32 %z                                ; = ssa=32
}
