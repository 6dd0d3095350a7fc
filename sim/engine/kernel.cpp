/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the kernel does on a core: switches, and interrupts between two instructions. */
#include "engine/core.hpp"
#include "engine/reader.hpp"
#include "interface/engine.h"
#include "model/memory.hpp"

#include <cstdint>

namespace laxity {

namespace {

/* Where the kernel has what belongs to a core. */
constexpr unsigned KERNEL_DATA_SHIFT = 40;
/* What its timer takes lies so far behind what its switches take. */
constexpr std::uint64_t TIMER_ADDRESS = std::uint64_t{1} << 39U;
/* And this, what an interrupt that reads its counters takes. */
constexpr std::uint64_t PROBE_ADDRESS = std::uint64_t{3} << 38U;

} // namespace

/* It interrupts at multiples of its interval. */
void Core::set_timer()
{
    const std::uint64_t interval = platform_.timer_interval;
    timer_tick_ = interval == 0 ? NEVER : (now_ / interval + 1) * interval;
}

void Core::begin_switch(std::uint64_t now)
{
    begin({}, now);
    kernel_line_ = 0;
    set_next(Next::GoOn);
    if (platform_.kernel_code_lines + platform_.kernel_data_lines == 0) {
        run_kernel();
    }
}

/* While one interrupt lasts there is no other: however often it is read, its task goes on. */
void Core::probe(std::uint64_t now)
{
    is_probed_ |= now > probed_until_;
}

/* True if it has been through its lines: so many of code at the address, of data there in what
 * belongs to the core. Else the core pauses. */
bool Core::touch_kernel(std::uint32_t n_code, std::uint32_t n_data, std::uint64_t address)
{
    const std::uint64_t base = std::uint64_t{KERNEL} << SPACE_SHIFT | address;
    const std::uint64_t own = (std::uint64_t{number_} + 1) << KERNEL_DATA_SHIFT;
    while (kernel_line_ < n_code + n_data) {
        const bool is_code = kernel_line_ < n_code;
        const std::uint64_t line = is_code ? (base >> line_shift_) + kernel_line_
                                           : ((base + own) >> line_shift_) + kernel_line_ - n_code;
        if (touch(is_code ? Kind::Fetch : Kind::Load, line, true)) {
            kernel_line_++;
        }
        if (is_paused_) {
            return false;
        }
    }
    return true;
}

void Core::run_kernel()
{
    is_paused_ = false;
    if (touch_kernel(platform_.kernel_code_lines, platform_.kernel_data_lines, 0)) {
        now_ += platform_.switch_ticks;
        set_next(Next::Switched);
    }
}

/* By the timer, or to read counters. */
void Core::interrupt()
{
    const bool is_timers = stage_ == Stage::Timer;
    const bool is_over =
        is_timers
            ? touch_kernel(platform_.timer_code_lines, platform_.timer_data_lines, TIMER_ADDRESS)
            : touch_kernel(platform_.probe_code_lines, platform_.probe_data_lines, PROBE_ADDRESS);
    if (!is_over) {
        return;
    }
    if (is_timers) {
        now_ += platform_.timer_ticks;
        set_timer();
    } else {
        now_ += platform_.probe_ticks;
        is_probed_ = false;
        probed_until_ = now_;
    }
    execution_.position->fetched = NEVER;
    stage_ = Stage::Boundary;
}

} // namespace laxity
