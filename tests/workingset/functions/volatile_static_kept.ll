; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; Assembly may name what is marked as used.

target triple = "x86_64-pc-linux-gnu"
@flag = internal global i32 0, !dbg !0
@llvm.used = appending global [1 x ptr] [ptr @flag], section "llvm.metadata"
define i32 @main() {
  store volatile i32 1, ptr @flag         ; = volatile=32
  %x = load volatile i32, ptr @flag       ; = volatile=32
  ret i32 %x                              ; = ssa=32 volatile=32
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!5}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "flag", scope: !2, file: !3, line: 1, type: !4, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug, globals: !6)
!3 = !DIFile(filename: "one.c", directory: "/")
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{!0}
