; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; The end of the handler destroys the exception, and that reads the table: after it, the table is dead. That it does so once only
; is not used.

@table = internal global i32 1
@sum = internal global i32 0
declare i32 @__gxx_personality_v0(...)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
define internal void @destroy(ptr %exception) {
  %x = load i32, ptr @table                          ; = global=32
  store i32 %x, ptr @sum                             ; = ssa=32 global=32
  ret void                                           ; = global=32
}
define i32 @main() personality ptr @__gxx_personality_v0 {
  invoke void @__cxa_throw(ptr null, ptr null, ptr @destroy) to label %never unwind label %caught ; = global=32
never:
  unreachable                                        ; =
caught:
  %e = landingpad { ptr, i32 } catch ptr null        ; = global=32
  %p = extractvalue { ptr, i32 } %e, 0               ; = ssa=128 global=32
  %q = call ptr @__cxa_begin_catch(ptr %p)           ; = ssa=64 global=32
  call void @__cxa_end_catch()                       ; = global=32
  ret i32 0                                          ; =
}
