/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Instructions whose result is another one in each run: they read clocks, counters and noise. */
#ifndef LAXITY_SIM_CLOCKS_HPP
#define LAXITY_SIM_CLOCKS_HPP

#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"

namespace laxity {

/* What such an instruction reads; nullptr: the result is the same in each run. */
const char *clock_of(const llvm::MCInst &instruction, const llvm::MCInstrInfo &instructions);

} // namespace laxity

#endif
