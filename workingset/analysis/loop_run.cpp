// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/loop_run.hpp"

#include "analysis/faults.hpp"

#include <algorithm>

namespace laxity::workingset {

namespace {

// About 10 ms; the loops of a frame of 352 x 288 pixels are below it.
constexpr uint64_t MAX_STEPS = uint64_t{1} << 19;

/* The part of [first, first + width) that lies in an object. */
std::pair<unsigned, unsigned> within(int64_t first, uint64_t width, unsigned size)
{
    const int64_t limit = size;
    const int64_t begin = std::clamp<int64_t>(first, 0, limit);
    const int64_t end = std::clamp<int64_t>(first + static_cast<int64_t>(width), begin, limit);
    return {static_cast<unsigned>(begin), static_cast<unsigned>(end)};
}

} // namespace

LoopRun::LoopRun(const std::map<unsigned, uint64_t> &object_bytes)
{
    for (const auto &[object, bytes] : object_bytes) {
        const auto size = static_cast<unsigned>(bytes);
        objects_[object] = {.written = llvm::BitVector(size), .exposed = llvm::BitVector(size)};
    }
}

void LoopRun::run(const LoopBody &body)
{
    if (step_count(body) > MAX_STEPS) {
        compare_wholes(body);
        return;
    }
    run_turns(body, true);
}

uint64_t LoopRun::step_count(const LoopBody &body)
{
    uint64_t steps = 0;
    for (const LoopBody::Step &step : body.steps) {
        steps = std::min(MAX_STEPS + 1, steps + (step.inner ? step_count(*step.inner) : 1));
    }
    return body.back_edges > MAX_STEPS ? MAX_STEPS + 1
                                       : std::min(MAX_STEPS + 1, steps * (body.back_edges + 1));
}

void LoopRun::run_turns(const LoopBody &body, bool writes)
{
    turns_.resize(std::max<size_t>(turns_.size(), body.depth + 1));
    for (uint64_t turn = 0; turn <= body.back_edges; turn++) {
        turns_[body.depth] = turn;
        const bool is_last = turn == body.back_edges;
        for (const LoopBody::Step &step : body.steps) {
            if (step.inner && (step.inner->reads_in_last || !is_last)) {
                run_turns(*step.inner, writes && (step.inner->writes_in_last || !is_last));
            } else if (step.touch && (step.touch->is_in_last || !is_last) &&
                       (writes || !step.touch->is_write)) {
                touch(*step.touch);
            }
        }
    }
}

void LoopRun::touch(const LoopTouch &touch)
{
    auto found = objects_.find(touch.object);
    if (found == objects_.end()) {
        return;
    }
    int64_t place = touch.first_byte;
    for (const LoopTouch::Stride &stride : touch.strides) {
        place += stride.bytes * static_cast<int64_t>(turns_[stride.depth]);
    }
    Bytes &bytes = found->second;
    const auto [begin, end] = within(place, touch.width_bytes, bytes.written.size());
    if (touch.is_write) {
        bytes.written.set(begin, end);
        return;
    }
    for (unsigned byte = begin; byte < end; byte++) {
        if (!bytes.written.test(byte)) {
            bytes.exposed.set(byte);
        }
    }
}

void LoopRun::compare_wholes(const LoopBody &body)
{
    turns_.resize(body.depth);
    write_turns_.resize(body.depth);
    turns_.push_back(body.back_edges + 1);
    write_turns_.push_back(0);
    for (const LoopBody::Step &step : body.steps) {
        const bool is_in_last = step.touch ? step.touch->is_in_last : step.inner->writes_in_last;
        write_turns_[body.depth] = body.back_edges + (is_in_last ? 1 : 0);
        if (step.touch) {
            compare_whole(*step.touch);
        } else {
            compare_wholes(*step.inner);
            turns_.resize(body.depth + 1);
            write_turns_.resize(body.depth + 1);
        }
    }
}

void LoopRun::compare_whole(const LoopTouch &touch)
{
    auto found = objects_.find(touch.object);
    if (found == objects_.end() || (touch.is_write && llvm::is_contained(write_turns_, 0))) {
        return;
    }
    Bytes &bytes = found->second;
    llvm::BitVector &which = touch.is_write ? bytes.written : bytes.exposed;
    const auto &turns = touch.is_write ? write_turns_ : turns_;
    Sweep sweep{
        .first_byte = touch.first_byte, .width_bytes = touch.width_bytes, .repetitions = {}
    };
    const bool is_known = llvm::all_of(touch.strides, [&](const LoopTouch::Stride &stride) {
        return repeat(sweep, stride.bytes, turns[stride.depth]);
    });
    ByteRuns runs;
    if (touch.is_write && is_known) {
        runs = runs_of(sweep, which.size()).value_or(ByteRuns());
    } else if (!touch.is_write) {
        runs = {is_known ? hull_of(sweep) : ByteRun{0, static_cast<int64_t>(which.size())}};
    }
    for (const ByteRun &run : runs) {
        const auto [begin, end] = within(
            run.first_byte, static_cast<uint64_t>(run.end_byte - run.first_byte), which.size()
        );
        which.set(begin, end);
    }
}

llvm::BitVector LoopRun::killed_bytes(unsigned object) const
{
    const Bytes &bytes = objects_.at(object);
    llvm::BitVector killed = bytes.written;
    if (!has_fault(Fault::LoopKillsReadFirst)) {
        killed.reset(bytes.exposed);
    }
    return killed;
}

} // namespace laxity::workingset
