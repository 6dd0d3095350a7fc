// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "executions.hpp"

#include "analysis/module_index.hpp"
#include "analysis/table_file.hpp"
#include "resolve.hpp"
#include "trace_file.hpp"

#include <string>

namespace laxity::workingset::oracle {

namespace {

// The tree of calls, which is all that a trace of counts has of what resolve() finds.
bool take_call(uint64_t word, uint32_t site, const Numbering &numbering, Resolved &calls)
{
    uint32_t parent = lower_payload(word);
    if (parent >= calls.contexts.size()) {
        return false;
    }
    if (tag_of(word) == LAXITY_TRACE_RECURSION) {
        calls.recursions.push_back({parent, site, upper_payload(word)});
        return upper_payload(word) < calls.contexts.size();
    }
    calls.contexts.push_back({parent, site, upper_payload(word)});
    return upper_payload(word) < numbering.functions.size() &&
           (site < numbering.instructions.size() || site == LAXITY_TRACE_NO_SITE);
}

llvm::Error misfit(size_t position)
{
    return llvm::createStringError(
        "word " + std::to_string(position) +
        " of the trace does not fit the module; trace the same file that is counted"
    );
}

llvm::Expected<Resolved> find_calls(std::span<const uint64_t> trace, const Numbering &numbering)
{
    Resolved calls;
    calls.contexts.push_back({0, LAXITY_TRACE_NO_SITE, 0});
    uint32_t site = LAXITY_TRACE_NO_SITE;
    for (size_t i = 0; i < trace.size(); i++) {
        laxity_trace_tag tag = tag_of(trace[i]);
        if (tag == LAXITY_TRACE_SITE) {
            site = lower_payload(trace[i]);
        }
        bool is_call = tag == LAXITY_TRACE_CONTEXT || tag == LAXITY_TRACE_RECURSION;
        if (is_call && !take_call(trace[i], site, numbering, calls)) {
            return misfit(i);
        }
    }
    return calls;
}

// By context of the trace.
std::vector<bool> find_counted(const Resolved &calls, const Numbering &numbering, StaticSets *sets)
{
    std::vector<bool> is_counted(calls.contexts.size(), true);
    if (sets != nullptr) {
        std::vector<unsigned> found = sets->find_contexts(calls, numbering);
        for (size_t i = 0; i < found.size(); i++) {
            is_counted[i] = found[i] < IMPOSSIBLE;
        }
    }
    return is_counted;
}

} // namespace

llvm::Expected<std::vector<uint64_t>>
count_executions(std::span<const uint64_t> trace, const Numbering &numbering, StaticSets *sets)
{
    llvm::Expected<Resolved> calls = find_calls(trace, numbering);
    if (!calls) {
        return calls.takeError();
    }
    std::vector<bool> is_counted = find_counted(*calls, numbering, sets);
    std::vector<uint64_t> executions(numbering.instructions.size(), 0);
    uint64_t repeats = 1;
    for (size_t i = 0; i < trace.size(); i++) {
        if (tag_of(trace[i]) == LAXITY_TRACE_COUNT) {
            repeats = payload_of(trace[i]);
        }
        if (tag_of(trace[i]) != LAXITY_TRACE_SEGMENT) {
            continue;
        }
        uint32_t last = upper_payload(trace[i]);
        uint32_t context = lower_payload(trace[i]);
        if (last >= executions.size() || context >= is_counted.size()) {
            return misfit(i);
        }
        for (uint32_t j = numbering.segment_begin(last); is_counted[context] && j <= last; j++) {
            executions[j] += repeats;
        }
        repeats = 1;
    }
    return executions;
}

void print_executions(
    llvm::raw_ostream &out,
    const llvm::Module &module,
    const Numbering &numbering,
    const std::vector<uint64_t> &executions
)
{
    ModuleIndex index(module);
    out << "function,block,index,executions\n";
    for (unsigned i = 0; i < index.size(); i++) {
        const llvm::Instruction &instruction = index.instruction(i);
        ModuleIndex::Place place = index.place(i);
        out << csv_field(instruction.getFunction()->getName()) << ',' << place.block << ','
            << place.index << ',' << executions[numbering.number(instruction)] << '\n';
    }
}

} // namespace laxity::workingset::oracle
