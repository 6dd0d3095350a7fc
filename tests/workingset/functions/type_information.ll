; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; A throw and a handler read type information: two pointers and the name of the thrown type (128 + 32 bits), those of the handler's (128 + 24).

@tname = internal constant [4 x i8] c"abc\00"
@t = internal constant { ptr, ptr } { ptr null, ptr @tname }
@hname = internal constant [3 x i8] c"xy\00"
@h = internal constant { ptr, ptr } { ptr null, ptr @hname }
@unused = internal constant { ptr, ptr } { ptr null, ptr @hname }
declare i32 @__gxx_personality_v0(...)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
define i32 @main() personality ptr @__gxx_personality_v0 {
  %one = add i32 0, 1                                ; = const=312
  invoke void @__cxa_throw(ptr null, ptr @t, ptr null) to label %fine unwind label %caught ; = ssa=32 const=312
fine:
  unreachable                                        ; =
caught:
  %e = landingpad { ptr, i32 } catch ptr @h          ; = ssa=32 const=152
  ret i32 %one                                       ; = ssa=32
}
