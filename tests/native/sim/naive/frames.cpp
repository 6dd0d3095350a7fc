/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "frames.hpp"

#include "interface/engine.h"

#include <cstdint>

namespace naive {

namespace {

constexpr unsigned FRAME_BITS = 36; /* of a space's frames, and of all if they are random */

std::uint64_t mix(std::uint64_t x)
{
    std::uint64_t z = x + 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
}

} // namespace

void Frames::touch(std::uint64_t line)
{
    const std::uint64_t page = page_of(line);
    if (placement_ != LAXITY_SIM_SEQUENTIAL || frames_.contains(page)) {
        return;
    }
    const std::uint64_t space = page >> FRAME_BITS;
    frames_[page] = (space << FRAME_BITS) + n_pages_[space]++;
}

std::uint64_t Frames::frame_of(std::uint64_t page) const
{
    const std::uint64_t random = mix(mix(seed_) ^ page) % (std::uint64_t{1} << FRAME_BITS);
    switch (placement_) {
    case LAXITY_SIM_IDENTITY:
        break;
    case LAXITY_SIM_SEQUENTIAL:
        return frames_.find(page)->second;
    case LAXITY_SIM_RANDOM_FRAMES:
        return random;
    case LAXITY_SIM_COLOURED:
        return random - random % colours_ + page % colours_;
    }
    return page;
}

std::uint64_t Frames::physical(std::uint64_t line) const
{
    const std::uint64_t lines = PAGE_BYTES / line_bytes_;
    return frame_of(page_of(line)) * lines + line % lines;
}

} // namespace naive
