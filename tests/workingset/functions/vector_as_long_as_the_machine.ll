; SPDX-FileCopyrightText: 2026 The laxity authors
; SPDX-License-Identifier: MIT
;
; 4 times 32 bits, up to 16 times longer, since the function says so: 2048. A variable of that type has
; no size that is known.

declare i32 @llvm.vector.reduce.add.nxv4i32(<vscale x 4 x i32>)
define i32 @main() vscale_range(1,16) {
  %a = alloca <vscale x 4 x i32>                                            ; =
  store <vscale x 4 x i32> zeroinitializer, ptr %a                          ; =
  %v = load <vscale x 4 x i32>, ptr %a                                      ; = stack=- level=0
  %s = call i32 @llvm.vector.reduce.add.nxv4i32(<vscale x 4 x i32> %v)      ; = ssa=2048
  ret i32 %s                                                                ; = ssa=32
}
