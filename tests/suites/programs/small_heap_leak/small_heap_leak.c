/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Each job loses 24 bytes. */
#include <stdlib.h>

static volatile char *lost;
static int result;

void small_heap_leak_init(void);
void small_heap_leak_main(void);
int small_heap_leak_return(void);

void small_heap_leak_init(void)
{
    result = 0;
}

void small_heap_leak_main(void)
{
    lost = malloc(24);
    lost[0] = 7;
    result = lost[0];
}

int small_heap_leak_return(void)
{
    return result != 7;
}

int main(void)
{
    small_heap_leak_init();
    small_heap_leak_main();
    return small_heap_leak_return();
}
