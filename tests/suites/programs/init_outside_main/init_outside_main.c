/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The job uses up what init has prepared: right once per init. */
static int stack[16];
static int depth;
static int taken;

void init_outside_main_init(void);
void init_outside_main_main(void);
int init_outside_main_return(void);

void init_outside_main_init(void)
{
    for (depth = 0; depth < 16; depth++) {
        stack[depth] = depth;
    }
}

void init_outside_main_main(void)
{
    taken = 0;
    while (depth > 0) {
        depth--;
        taken += stack[depth];
    }
}

int init_outside_main_return(void)
{
    return taken != 120; /* 15 * 16 / 2 */
}

int main(void)
{
    init_outside_main_init();
    init_outside_main_main();
    return init_outside_main_return();
}
