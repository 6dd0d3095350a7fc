/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/core.hpp"

#include "engine/reader.hpp"
#include "interface/engine.h"
#include "model/cache.hpp"

#include <cstdint>

namespace laxity {

namespace {

/* Tasks share no memory: the bits above an address say whose it is. */
constexpr unsigned TASK_SHIFT = 48;

} // namespace

bool SharedCache::use(std::uint64_t line, Spent &spent)
{
    const auto evicted = cache_.use(line);
    if (!evicted) {
        return true;
    }
    (lost_.erase(line) != 0 ? spent.reload : spent.own) += miss_ticks_;
    if (*evicted != Cache::EMPTY) {
        const unsigned shift = TASK_SHIFT - cache_.line_shift();
        if (*evicted >> shift != line >> shift) {
            lost_.insert(*evicted);
        }
    }
    return false;
}

Core::Core(const laxity_sim_platform &platform)
    : instruction_ticks_(platform.instruction_ticks), l1i_(platform.l1i), l1d_(platform.l1d),
      l2_(platform.l2)
{
}

void Core::switch_to(std::uint32_t task)
{
    address_space_ = std::uint64_t{task} << TASK_SHIFT;
}

/* A straddling access is one access and two lookups. */
void Core::use(SharedCache &first, std::uint64_t address, unsigned bytes, Spent &spent)
{
    const std::uint64_t begin = address_space_ | address;
    const std::uint64_t last = first.cache().line_of(begin + bytes - 1);
    for (std::uint64_t line = first.cache().line_of(begin); line <= last; line++) {
        if (!first.use(line, spent)) {
            (void)l2_.use(l2_.cache().line_of(line << first.cache().line_shift()), spent);
        }
    }
}

void Core::execute(const Block &block, Spent &spent)
{
    std::uint64_t address = block.address;
    std::uint64_t looked_up = UINT64_MAX;
    for (const unsigned size : block.sizes) {
        /* A line is fetched once for the instructions in a row that lie in it. */
        const std::uint64_t line = l1i_.cache().line_of(address + size - 1);
        if (line != looked_up) {
            use(l1i_, address, size, spent);
            looked_up = line;
        }
        address += size;
    }
    spent.busy += block.sizes.size() * instruction_ticks_;
}

void Core::access(const Access &access, Spent &spent)
{
    use(l1d_, access.address, access.bytes, spent);
}

} // namespace laxity
