; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; annotations: {"shared": ["id"]}
; Only id is touched by more than one thread: what the thread writes to g nobody reads.

@g = internal global i32 1
@id = internal global i64 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
define internal ptr @run(ptr %p) {
  store i32 2, ptr @g             ; = global=64
  ret ptr null                    ; = global=64
}
define i32 @main() {
  %r = call i32 @pthread_create(ptr @id, ptr null, ptr @run, ptr null) ; = global=64
  ret i32 0                       ; = global=64
}
