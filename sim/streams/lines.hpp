/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the jobs of a stored stream touch: distinct lines and pages, by the kind of memory
 * (sim/interface/storage.h). No caches and no time: the program alone decides.
 */
#ifndef LAXITY_SIM_LINES_HPP
#define LAXITY_SIM_LINES_HPP

#include "interface/storage.h"
#include "streams/stored.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace laxity {

struct Touched {
    std::uint64_t read; /* lines; executed ones are read */
    std::uint64_t written;
    std::uint64_t lines; /* read or written */
    std::uint64_t pages; /* of STORAGE_PAGE_BYTES */
};

/* Last of all classes together, where a line or page of two of them counts once. */
using TouchedByClass = std::array<Touched, std::size_t{LAXITY_SIM_STORAGE_CLASSES} + 1>;

struct Lines {
    std::uint64_t jobs;
    TouchedByClass largest; /* of a job; each number may be that of another one */
    TouchedByClass all;     /* of all jobs together, each line once */
};

/*
 * count_lines - of an opened stream, read to its end, and the storage of its program, which has no
 * heap yet; a line has line_bytes, a power of two of at most a page. Empty, or why not.
 *
 * A job begins behind the instruction that marks its start, and ends with the one that marks its
 * finish.
 */
std::string count_lines(
    Stored &stored, laxity_sim_storage *storage, std::uint32_t line_bytes, Lines &out_lines
);

} // namespace laxity

#endif
