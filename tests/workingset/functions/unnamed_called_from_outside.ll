; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Code outside passes what it was given, @data, 32 bits, where log has no names for it. Before log is left it overwrites that,
; so until then it is live for log alone. Outside it may be read at any time, and log be called again, whose unnamed arguments
; nobody tells from those of this call.

@data = internal global i32 1
declare void @keep(ptr)
declare void @llvm.va_start.p0(ptr)
define internal void @log(i32 %n, ...) {
  %list = alloca ptr                        ; = stack=- global=32
  call void @llvm.va_start.p0(ptr %list)    ; = stack=- global=32
  %at = load ptr, ptr %list                 ; = stack=- global=32
  %p = load ptr, ptr %at                    ; = ssa=64 stack=- global=32
  %x = load i32, ptr %p                     ; = ssa=64 stack=- global=32
  store i32 %x, ptr @data                   ; = ssa=32 stack=-
  ret void                                  ; = stack=- global=32
}
define i32 @main() {
  call void @keep(ptr @data)                ; = global=32
  call void @keep(ptr @log)                 ; = global=32
  ret i32 0                                 ; = global=32
}
