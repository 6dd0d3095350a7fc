/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/steal.h"

#include "base/port/file.h"
#include "base/port/time.h"
#include "schema/run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STEAL_COLUMN = 7, /* after user nice system idle iowait irq softirq; proc(5) */
    DECIMAL = 10,
    /* A line of a CPU has about 100 bytes; they come first, what follows may be cut. */
    TEXT_BYTES = LAXITY_CPUS_MAX * 256,
};

/* Steps over one number. Returns what follows it, or NULL if there is none. */
static const char *take_number(const char *text, uint64_t *out_number)
{
    while (*text == ' ') {
        text++;
    }
    if (*text < '0' || *text > '9') {
        return NULL;
    }
    char *end = NULL;
    *out_number = strtoull(text, &end, DECIMAL);
    return end;
}

static void take_line(const char *line, struct laxity_steal *out_steal)
{
    uint64_t cpu = 0;
    const char *rest = line + strlen("cpu");
    if (*rest == ' ') {
        return; /* the sum of all CPUs */
    }
    rest = take_number(rest, &cpu);
    uint64_t number = 0;
    for (unsigned column = 0; rest && column <= STEAL_COLUMN; column++) {
        rest = take_number(rest, &number);
    }
    if (rest && cpu < LAXITY_CPUS_MAX) {
        out_steal->ticks[cpu] = number;
    }
}

void laxity_steal_parse(const char *text, struct laxity_steal *out_steal)
{
    memset(out_steal, UINT8_MAX, sizeof *out_steal);
    const char *line = text;
    while (line && *line != '\0') {
        if (strncmp(line, "cpu", strlen("cpu")) == 0) {
            take_line(line, out_steal);
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

int laxity_steal_read(struct laxity_steal *out_steal)
{
    laxity_steal_parse("", out_steal);
    char *text = malloc(TEXT_BYTES);
    if (!text) {
        return -ENOMEM;
    }
    const int rc = laxity_read_text("/proc/stat", text, TEXT_BYTES);
    if (rc == 0) {
        laxity_steal_parse(text, out_steal);
    }
    free(text);
    return rc;
}

int64_t laxity_steal_between_ns(
    const struct laxity_steal *before, const struct laxity_steal *after, unsigned cpu
)
{
    const uint64_t from = before->ticks[cpu];
    const uint64_t to = after->ticks[cpu];
    /* A host that is moved may count anew. */
    if (from == UINT64_MAX || to == UINT64_MAX || to < from) {
        return LAXITY_ABSENT_NS;
    }
    const int64_t tick_ns = laxity_steal_resolution_ns();
    return to - from > (uint64_t)(INT64_MAX / tick_ns) ? LAXITY_ABSENT_NS
                                                       : (int64_t)(to - from) * tick_ns;
}

int64_t laxity_steal_resolution_ns(void)
{
    return LAXITY_NS_PER_S / sysconf(_SC_CLK_TCK);
}
