// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_SEGMENTS_HPP
#define LAXITY_WORKINGSET_SEGMENTS_HPP

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace laxity::workingset {

/*
 * Let a program tell which segments it executes: laxity_segment(number) is called at the start of
 * each, behind phis. A segment is what runs without interruption: a block, or a part of it between
 * calls. So a run is the list of its segments, and its instructions follow.
 *
 * table: gets "segment,function,block,index" of the first instruction of each, as in
 * workingset.csv.
 */
void trace_segments(llvm::Module &module, llvm::raw_ostream &table);

} // namespace laxity::workingset

#endif
