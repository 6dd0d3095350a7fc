/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What built-in loops execute and access per element. */
#ifndef LAXITY_SIM_BODIES_HPP
#define LAXITY_SIM_BODIES_HPP

#include "interface/builtin.h"
#include "interface/engine.h"

#include <cstdint>
#include <span>
#include <vector>

namespace laxity {

constexpr std::uint8_t NO_REGISTER = 0xff;
constexpr std::uint8_t ALL_REGISTERS = 0xfe;

/* The four bytes of an instruction. */
struct Coded {
    std::uint8_t reads = NO_REGISTER;
    std::uint8_t writes = NO_REGISTER;
    std::uint16_t ticks = 0; /* 0: as any */
};
static_assert(sizeof(Coded) == 4);

/* An access of an element. */
struct Touch {
    std::uint8_t instruction; /* of the element's */
    std::uint8_t size_log;
    bool is_store;
    std::uint8_t offset = 0;
    bool is_second = false; /* at what is copied */
};

/*
 * Elements are executed by `unrolled` in a block, so that loads of several need registers of their
 * own; no core that we know of is held up by a register that is only written again.
 */
struct Body {
    std::span<const Coded> instructions; /* of an element; some registers differ by element */
    std::span<const Touch> touches;      /* in the order of the program */
    unsigned unrolled = 1;
    std::span<const Coded> tail; /* of a block */
    std::uint64_t second_step = 0;

    /* The code of a block of n elements. */
    [[nodiscard]] std::vector<Coded> code(unsigned n) const;
};

const Body &body_of(laxity_sim_body body);

void decode(const Coded &one, laxity_sim_instruction &instruction);

} // namespace laxity

#endif
