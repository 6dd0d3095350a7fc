; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"shared": ["main:0:local"]}
; As threads_find_block, where only local is shared: at is read by the thread whenever one starts,
; so it is live but before the store that overwrites it. id is never read.

@at = internal global ptr null
@id = internal global i64 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
define internal ptr @run(ptr %p) {
  %q = load ptr, ptr @at          ; = global=64 stack=64
  store i32 2, ptr %q             ; = global=64 stack=64 ssa=64
  ret ptr null                    ; = global=64 stack=64
}
define i32 @main() {
  %local = alloca [2 x i32]       ; = stack=64
  %second = getelementptr i32, ptr %local, i64 1 ; = stack=64
  store ptr %second, ptr @at      ; = stack=64 ssa=64
  %r = call i32 @pthread_create(ptr @id, ptr null, ptr @run, ptr null) ; = global=64 stack=64
  store i32 1, ptr %local         ; = global=64 stack=64
  ret i32 0                       ; = global=64 stack=64
}
