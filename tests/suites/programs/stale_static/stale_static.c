/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A static variable goes on where the job before has left it, and init does not set it. */
static unsigned total;
static unsigned values[32];

void stale_static_init(void);
void stale_static_main(void);
int stale_static_return(void);

void stale_static_init(void)
{
    for (unsigned i = 0; i < 32; i++) {
        values[i] = i;
    }
}

void stale_static_main(void)
{
    for (unsigned i = 0; i < 32; i++) {
        total += values[i];
    }
}

int stale_static_return(void)
{
    return total != 496; /* 31 * 32 / 2 */
}

int main(void)
{
    stale_static_init();
    stale_static_main();
    return stale_static_return();
}
