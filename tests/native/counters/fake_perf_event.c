/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "fake_perf_event.h"

#include "base/port/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fake_event {
    bool is_open;
    bool is_hardware;
    int group_fd;
    uint64_t code;
};

struct fake_pmu fake_pmu;
static struct fake_event events[FAKE_FDS_MAX];
static uint64_t now_ns;

static unsigned hardware_members(int group_fd)
{
    unsigned n = 0;
    for (int fd = 0; fd < FAKE_FDS_MAX; fd++) {
        n += events[fd].is_open && events[fd].is_hardware && events[fd].group_fd == group_fd;
    }
    return n;
}

int laxity_perf_open(struct perf_event_attr *attr, int cpu, int group_fd)
{
    (void)cpu;
    const bool is_hardware = attr->type != PERF_TYPE_SOFTWARE;
    if (fake_pmu.is_kernel_denied && !attr->exclude_kernel) {
        return -EACCES;
    }
    if (is_hardware && fake_pmu.refusal != 0) {
        return fake_pmu.refusal;
    }
    if (is_hardware && group_fd >= 0 && hardware_members(group_fd) >= fake_pmu.counters) {
        return -EINVAL; /* as x86 and ARM answer */
    }
    for (int fd = 0; fd < FAKE_FDS_MAX; fd++) {
        if (!events[fd].is_open) {
            events[fd] = (struct fake_event){
                .is_open = true,
                .is_hardware = is_hardware,
                .group_fd = group_fd < 0 ? fd : group_fd,
                .code = attr->config,
            };
            fake_pmu.n_open++;
            return fd;
        }
    }
    return -EMFILE;
}

int laxity_perf_read(int fd, void *out, size_t bytes)
{
    uint64_t words[3 + FAKE_FDS_MAX] = {0};
    now_ns += fake_pmu.is_clock_coarse ? 0 : FAKE_NS_PER_READING;
    fake_pmu.n_reads++;
    const bool takes_turns = events[fd].is_hardware && fake_pmu.turns != 1;
    const uint64_t running_ns =
        takes_turns ? (fake_pmu.turns == 0 ? 0 : now_ns / fake_pmu.turns) : now_ns;
    unsigned members = 0;
    words[1] = now_ns;
    words[2] = running_ns;
    for (int member = 0; member < FAKE_FDS_MAX; member++) {
        if (events[member].is_open && events[member].group_fd == fd) {
            words[3 + members++] = running_ns * events[member].code;
        }
    }
    words[0] = members;
    const size_t size = (3 + members) * sizeof words[0];
    if (bytes < size) {
        return -ENOSPC;
    }
    memcpy(out, words, size);
    return (int)size;
}

void laxity_perf_close(int fd)
{
    events[fd].is_open = false;
    fake_pmu.n_open--;
}
