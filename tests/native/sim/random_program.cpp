/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "random_program.hpp"

#include "harness/mark_table.h"
#include "interface/engine.h"
#include "random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace {

constexpr std::uint64_t MUCH_IN_8 = 6;
constexpr unsigned LARGEST_ACCESS = 4;     /* 16 bytes */
constexpr unsigned LARGEST_OF_SEVERAL = 7; /* registers */
constexpr unsigned LARGEST_OF_ALL = 12;    /* a page */
constexpr std::uint64_t LONGEST_LOOP = 8;
constexpr std::uint64_t FAR = 1U << 16U;
constexpr std::uint64_t PAGE_TABLES = std::uint64_t{1} << 47U; /* where a walk loads, too */

} // namespace

Writer::Writer(Random &random, std::uint32_t line_bytes, const Extras &extras, Bents bents)
    : random_(random), bents_(std::move(bents)), line_bytes_(line_bytes),
      has_strides_(extras.has_strides), has_loops_(extras.has_branches || extras.has_strides)
{
    data_bytes_ = random.between(2, 60) * line_bytes;
    code_bytes_ = random.between(2, 40) * line_bytes;
    stride_ = random.is(1, 3) ? line_bytes : std::uint64_t{1} << random.between(2, 7);
    stride_ = extras.has_inclusion && random.is(1, 2) ? -stride_ : stride_;
    accesses_in_8_ = random.between(1, 7);
    stores_in_8_ = random.between(0, 7);
    is_random_ = random.is(1, extras.has_strides ? 8 : 3);
    writes_code_ = random.is(1, 8);
    n_blocks_most_ = random.between(3, 24);
    if (extras.has_pages || extras.has_frames) {
        piece_bytes_ = std::uint64_t{line_bytes} << random.below(4);
        piece_pages_ = std::uint64_t{1}
                       << (random.is(1, 2) ? random.below(3) : 9 * random.below(3));
        begin_ = extras.has_pages && random.is(1, 8) ? PAGE_TABLES : 0;
    } else if (extras.has_strides) {
        begin_ = random.below(PAGE_BYTES);
    }
    if (piece_bytes_ == 0 && bents_.piece_lines > 0) {
        piece_bytes_ = bents_.piece_lines * line_bytes;
        piece_pages_ = bents_.piece_pages;
    }
    if (piece_bytes_ == 0 && bents_.lines_before > 0) {
        begin_ = (PAGE_BYTES - bents_.lines_before * line_bytes % PAGE_BYTES) % PAGE_BYTES;
    }
    if (bents_.stores_much) {
        accesses_in_8_ = std::max<std::uint64_t>(accesses_in_8_, MUCH_IN_8);
        stores_in_8_ = std::max<std::uint64_t>(stores_in_8_, MUCH_IN_8 - 2);
    }
}

void Writer::define()
{
    std::vector<std::uint8_t> sizes(random_.between(1, 12));
    for (std::uint8_t &size : sizes) {
        size = static_cast<std::uint8_t>(random_.is(1, 8) ? random_.between(1, 15) : 4);
    }
    std::uint64_t address = address_of(CODE_ADDRESS, random_.below(code_bytes_));
    if (has_loops_ && code_end_ > 0 && random_.is(2, 3)) {
        address = code_end_;
    }
    words.define(address, sizes);
    code_end_ = std::accumulate(sizes.begin(), sizes.end(), address);
    n_instructions_.push_back(static_cast<unsigned>(sizes.size()));
}

std::uint64_t Writer::address_of(std::uint64_t area, std::uint64_t offset) const
{
    if (piece_bytes_ == 0) {
        return area + offset;
    }
    const std::uint64_t piece = area + offset / piece_bytes_ * piece_pages_ * PAGE_BYTES;
    return piece + PAGE_BYTES - piece_bytes_ / 2 + offset % piece_bytes_;
}

/* Of those that are defined: mostly the one behind that before, or the first of a loop of a few. */
std::size_t Writer::next_block()
{
    const std::size_t n = n_instructions_.size();
    if (!has_loops_ || random_.is(1, 8)) {
        turns_left_ = 0;
        return random_.below(n);
    }
    if (turns_left_ > 0 && block_ == loop_end_) {
        turns_left_--;
        return loop_begin_;
    }
    if (turns_left_ == 0 && random_.is(1, 4)) {
        loop_end_ = block_;
        loop_begin_ = block_ - random_.below(std::min<std::size_t>(block_, 3) + 1);
        turns_left_ = random_.below(LONGEST_LOOP);
        return loop_begin_;
    }
    return (block_ + 1) % n;
}

Writer::Strided &Writer::strided(unsigned index)
{
    const auto [at, is_new] = strides_.try_emplace({block_, index});
    Strided &strided = at->second;
    if (is_new) {
        strided.is_store = random_.is(stores_in_8_, 16);
        /* Far from 0, as every third goes back. */
        strided.position = data_bytes_ * FAR + random_.below(data_bytes_);
        strided.stride = random_.is(1, 4) ? stride_ : random_.between(1, 4) * line_bytes_;
        strided.stride = random_.is(1, 3) ? -strided.stride : strided.stride;
    }
    return strided;
}

std::uint64_t Writer::next_position(unsigned index)
{
    std::uint64_t &position = has_strides_ ? strided(index).position : position_;
    position += has_strides_ ? strided(index).stride : stride_;
    return position;
}

bool Writer::is_store(unsigned index)
{
    const bool is_strided = has_strides_ && !random_.is(1, 8);
    return is_strided ? strided(index).is_store : random_.is(stores_in_8_, 8);
}

std::uint64_t Writer::next_address(unsigned index)
{
    if (writes_code_ && random_.is(1, 16)) {
        return address_of(CODE_ADDRESS, random_.below(code_bytes_));
    }
    const std::uint64_t position = next_position(index);
    const bool is_anywhere = is_random_ || random_.is(1, 16);
    const std::uint64_t offset = (is_anywhere ? random_.next() : position) % data_bytes_;
    return address_of(begin_ + DATA_ADDRESS, offset);
}

void Writer::access(unsigned index)
{
    auto size = static_cast<unsigned>(random_.below(LARGEST_ACCESS + 1));
    if (random_.is(1, 40)) {
        const unsigned most = random_.is(1, 20) ? LARGEST_OF_ALL : LARGEST_OF_SEVERAL;
        size = static_cast<unsigned>(random_.between(LARGEST_ACCESS + 1, most));
    }
    std::uint64_t address = next_address(index);
    if (!random_.is(1, 8)) {
        address &= ~((std::uint64_t{1} << size) - 1); /* most are aligned */
    }
    bool stores = is_store(index);
    const laxity_sim_range *const shared = shared_at(address, std::uint64_t{1} << size);
    if (stores && shared != nullptr) {
        stores = bents_.stores_there && random_.is(1, 8);
        /* Of some only the bytes behind the first are there. */
        address = stores && random_.is(1, 2) ? shared->begin - 1 : address;
    }
    words.access(index, address, size, stores);
}

const laxity_sim_range *Writer::shared_at(std::uint64_t address, std::uint64_t bytes) const
{
    const auto found = std::ranges::find_if(bents_.shared, [&](const laxity_sim_range &range) {
        return address < range.end && address + bytes > range.begin;
    });
    return found == bents_.shared.end() ? nullptr : &*found;
}

void Writer::accesses(unsigned index)
{
    std::uint64_t n = random_.is(accesses_in_8_, 8) ? 1 : 0;
    n += random_.is(1, 12) ? random_.between(1, 3) : 0;
    for (; n > 0; n--) {
        access(index);
    }
}

/* A start lies before the finish of the same execution or behind it. */
void Writer::execute(bool has_start, bool has_finish)
{
    if (n_instructions_.empty() || (n_instructions_.size() < n_blocks_most_ && random_.is(1, 3))) {
        define();
    }
    block_ = next_block();
    const unsigned n = n_instructions_[block_];
    const auto start_at = has_start ? static_cast<unsigned>(random_.below(n)) : n;
    const auto finish_at = has_finish ? static_cast<unsigned>(random_.below(n)) : n;
    words.execute(block_);
    for (unsigned i = 0; i < n; i++) {
        if (random_.is(1, 50)) {
            words.mark(i, LAXITY_MARK_PHASES + 7);
        }
        if (i == finish_at) {
            words.mark(i, LAXITY_MARK_JOB_FINISH); /* no start, if that were here, too */
        } else if (i == start_at) {
            words.mark(i, LAXITY_MARK_JOB_START);
        } else {
            accesses(i);
        }
        if (add_wrong_in_ == 1 && !has_start && !has_finish && random_.is(1, 4)) {
            const bool is_before = i > 0 && random_.is(1, 2);
            words.access(i, DATA_ADDRESS, 0, false);
            words.access(is_before ? i - 1 : n, DATA_ADDRESS, 0, false);
            add_wrong_in_ = 0;
        }
    }
    add_wrong_in_ -= add_wrong_in_ > 1 ? 1 : 0;
}

void Writer::add_job(std::uint64_t n_executions)
{
    for (std::uint64_t n = random_.below(3); n > 0; n--) {
        execute(false, false);
    }
    execute(true, false);
    for (std::uint64_t i = 0; i < n_executions; i++) {
        execute(random_.is(1, 200), false);
    }
    /* Now and then the next job starts in the block in which this one has finished. */
    execute(random_.is(1, 4), true);
}
