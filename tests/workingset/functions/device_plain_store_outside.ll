; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Memory of an unknown function may be a device's. A store there that is not volatile gives it buf (32 bits).

@buf = internal global i32 0
declare ptr @map()
define i32 @main(i32 %v) {
  store i32 %v, ptr @buf                ; = global=32 ssa=32
  %r = call ptr @map()                  ; = global=32
  store ptr @buf, ptr %r                ; = global=32 ssa=64
  ret i32 0                             ; = global=32
}
