/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Right as it stands; what LAXITY_TEST_END says makes a job end otherwise. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static unsigned total;

void ends_on_demand_init(void);
void ends_on_demand_main(void);
int ends_on_demand_return(void);

void ends_on_demand_init(void)
{
    total = 0;
}

void ends_on_demand_main(void)
{
    const char *end = getenv("LAXITY_TEST_END"); /* NOLINT(concurrency-mt-unsafe): one thread */
    total = 0;
    for (unsigned i = 0; i < 32; i++) {
        total += i;
    }
    if (!end) {
        return;
    }
    if (strcmp(end, "exit") == 0) {
        exit(3); /* NOLINT(concurrency-mt-unsafe): one thread */
    }
    if (strcmp(end, "abort") == 0) {
        abort();
    }
    if (strcmp(end, "kill") == 0) {
        raise(SIGKILL);
    }
    while (strcmp(end, "loop") == 0) {
    }
}

int ends_on_demand_return(void)
{
    return total != 496; /* 31 * 32 / 2 */
}

int main(void)
{
    ends_on_demand_init();
    ends_on_demand_main();
    return ends_on_demand_return();
}
