/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* When a core goes on (docs/simulation-model.md, section 1). */
#ifndef LAXITY_SIM_TURN_HPP
#define LAXITY_SIM_TURN_HPP

#include "model/memory.hpp"

#include <algorithm>
#include <cstdint>

namespace laxity {

/* What a core does next. */
enum class Next : std::uint8_t {
    Nothing, /* it is idle */
    GoOn,
    Finished, /* the job; the next record is its mark */
    Failed,   /* the program has ended */
    Stopped,  /* as it was asked to */
    Switched, /* the kernel has gone from one task to another */
};

/* Apart from the rest of a core: those of all cores are looked at before each action. */
struct Turn {
    Next next = Next::Nothing;
    bool is_taken = false;            /* the core, by a task */
    bool is_told = false;             /* which is no co-runner */
    Room room = {};                   /* that the channel has to have for it */
    Channel *channel = nullptr;       /* that has to decide before; nullptr: none */
    std::uint64_t tick = NEVER;       /* NEVER: something has to be decided before that is known */
    std::uint64_t room_since = NEVER; /* since when an access has waited for decisions */

    /* Of cores that go on at the same tick the one with less does so first. */
    [[nodiscard]] std::uint64_t since() const
    {
        return std::min(room_since, tick);
    }
    [[nodiscard]] bool is_before(const Turn &other) const
    {
        return tick < other.tick || (tick == other.tick && since() < other.since()) ||
               (tick == other.tick && since() == other.since() && this < &other);
    }

    /* Whether all that it will do is to wait for the next decision. */
    [[nodiscard]] bool waits_on() const
    {
        return channel != nullptr && channel->lacks(room);
    }
};

} // namespace laxity

#endif
