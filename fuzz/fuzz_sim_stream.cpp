/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Any bytes as the stream of a program: events, each within its block, until an end or a problem.
 */
#include "engine/core.hpp"
#include "engine/reader.hpp"
#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const int fd = memfd_create("stream", 0);
    if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size) ||
        lseek(fd, 0, SEEK_SET) != 0) {
        abort();
    }
    constexpr laxity_sim_cache CACHE = {1024, 2, 32, 10};
    const laxity_sim_platform platform = {1, 1, 1, CACHE, CACHE, CACHE};
    laxity::Reader reader{fd};
    laxity::Core core{platform};
    laxity::Spent spent;
    auto event = reader.next();
    while (event && *event != laxity::Event::End) {
        if (*event == laxity::Event::Block) {
            core.execute(reader.block(), spent);
        } else if (*event == laxity::Event::Access) {
            core.access(reader.access(), spent);
        }
        event = reader.next();
    }
    if (!event && reader.problem().empty()) {
        abort();
    }
    (void)close(fd);
    return 0;
}
