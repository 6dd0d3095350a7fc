; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; What the handler alone reads is live in the callee only on the way to the exception, h only on the way to the return.

@g = internal global i32 1
@h = internal global i32 2
@c = internal global i1 undef
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
define internal void @f() {
  %c = load i1, ptr @c                               ; = global=72
  br i1 %c, label %bad, label %end                   ; = ssa=1 global=64
bad:
  call void @__cxa_throw(ptr null, ptr null, ptr null) ; = global=32
  unreachable                                        ; =
end:
  ret void                                           ; = global=32
}
define i32 @main() personality ptr @__gxx_personality_v0 {
  invoke void @f() to label %fine unwind label %caught ; = global=72
fine:
  %x = load i32, ptr @h                              ; = global=32
  ret i32 %x                                         ; = ssa=32
caught:
  %e = landingpad { ptr, i32 } catch ptr null        ; = global=32
  %y = load i32, ptr @g                              ; = global=32
  ret i32 %y                                         ; = ssa=32
}
