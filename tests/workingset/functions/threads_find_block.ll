; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The address of local is in a static variable only, and no call has it: a thread finds it there
; all the same, so its 8 bytes are always live, as at is. The thread may read what lies before the
; place that is pointed to, too.

@at = internal global ptr null
@id = internal global i64 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
define internal ptr @run(ptr %p) {
  %q = load ptr, ptr @at          ; = global=128 stack=64
  store i32 2, ptr %q             ; = global=128 stack=64 ssa=64
  ret ptr null                    ; = global=128 stack=64
}
define i32 @main() {
  %local = alloca [2 x i32]       ; = global=128 stack=64
  %second = getelementptr i32, ptr %local, i64 1 ; = global=128 stack=64
  store ptr %second, ptr @at      ; = global=128 stack=64 ssa=64
  %r = call i32 @pthread_create(ptr @id, ptr null, ptr @run, ptr null) ; = global=128 stack=64
  store i32 1, ptr %local         ; = global=128 stack=64
  ret i32 0                       ; = global=128 stack=64
}
