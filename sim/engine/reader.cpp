/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/reader.hpp"

#include "harness/mark_table.h"
#include "interface/records.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace laxity {

namespace {

constexpr std::size_t READ_WORDS = 16384;
constexpr std::uint64_t ID_MASK = (std::uint64_t{1} << 32U) - 1;

bool is_mark(std::uint64_t address)
{
    return address >= LAXITY_SIM_MARKS_ADDRESS &&
           address < LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_TABLE_BYTES;
}

} // namespace

/* Reads whole words; false at the end of the stream. */
bool Reader::fill()
{
    words_.resize(READ_WORDS);
    at_ = 0;
    std::size_t bytes = 0;
    while (bytes == 0 || bytes % sizeof(std::uint64_t) != 0) {
        auto *const to = reinterpret_cast<char *>(words_.data()) + bytes;
        const ssize_t n = read(fd_, to, READ_WORDS * sizeof(std::uint64_t) - bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            problem_ = bytes > 0 ? "its stream ends within a record" : "";
            words_.clear();
            return false;
        }
        bytes += static_cast<std::size_t>(n);
    }
    words_.resize(bytes / sizeof(std::uint64_t));
    return true;
}

bool Reader::take(std::uint64_t &word)
{
    if (at_ == words_.size() && !fill()) {
        return false;
    }
    word = words_[at_++];
    return true;
}

/* Blocks are numbered in the order of their definition. */
bool Reader::define(std::uint64_t id)
{
    std::uint64_t address = 0;
    std::uint64_t n = 0;
    if (id != blocks_.size() || !take(address) || !take(n) || n == 0 ||
        n > LAXITY_RECORD_INSTRUCTIONS_MAX) {
        return false;
    }
    Block block{address, {}};
    while (block.sizes.size() < n) {
        std::uint64_t word = 0;
        if (!take(word)) {
            return false;
        }
        for (unsigned i = 0; i < sizeof word && block.sizes.size() < n; i++) {
            std::uint8_t size = 0;
            std::memcpy(&size, reinterpret_cast<const char *>(&word) + i, sizeof size);
            block.sizes.push_back(size);
        }
    }
    std::size_t n_code = 0;
    for (const std::uint8_t size : block.sizes) {
        n_code += size;
    }
    blocks_.push_back(std::move(block));
    return skip((n_code + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
}

bool Reader::skip(std::size_t n)
{
    std::uint64_t word = 0;
    while (n > 0 && take(word)) {
        n--;
    }
    return n == 0;
}

bool Reader::pass_call(std::uint64_t word)
{
    if (skip((word & LAXITY_RECORD_RETURN) != 0 ? 1 : LAXITY_RECORD_ARGUMENTS)) {
        return true;
    }
    problem_ = "its stream ends within a record";
    return false;
}

std::optional<Event> Reader::next()
{
    if (is_put_back_) {
        is_put_back_ = false;
        return Event::Block;
    }
    std::uint64_t word = 0;
    while (take(word)) {
        switch (word >> LAXITY_RECORD_KIND_SHIFT) {
        case LAXITY_SIM_BLOCK:
            if (!define(word & ID_MASK)) {
                problem_ = "its stream defines a block that cannot be";
                return std::nullopt;
            }
            continue;
        case LAXITY_SIM_EXECUTION:
            block_ = word & ID_MASK;
            if (block_ >= blocks_.size()) {
                problem_ = "its stream executes a block that it has not defined";
                return std::nullopt;
            }
            return Event::Block;
        case LAXITY_SIM_CALL:
            if (!pass_call(word)) {
                return std::nullopt;
            }
            continue;
        default:
            break; /* an access */
        }
        const std::uint64_t address = word & LAXITY_RECORD_ADDRESS_MASK;
        if (is_mark(address)) {
            switch (address - LAXITY_SIM_MARKS_ADDRESS) {
            case LAXITY_MARK_JOB_START:
                return Event::JobStart;
            case LAXITY_MARK_JOB_FINISH:
                return Event::JobFinish;
            default:
                continue; /* phases and probes */
            }
        }
        access_ = {
            .address = address,
            .bytes = 1U << (word >> LAXITY_RECORD_SIZE_SHIFT & 0xfU),
            .is_store = (word >> LAXITY_RECORD_STORE_SHIFT & 1U) != 0,
        };
        return Event::Access;
    }
    return problem_.empty() ? std::optional{Event::End} : std::nullopt;
}

} // namespace laxity
