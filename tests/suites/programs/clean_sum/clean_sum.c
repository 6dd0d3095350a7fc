/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Nothing is wrong: every job computes the same from what its init has set. */
static int values[64];
static int sum;

void clean_sum_init(void);
void clean_sum_main(void);
int clean_sum_return(void);

void clean_sum_init(void)
{
    for (int i = 0; i < 64; i++) {
        values[i] = i;
    }
}

void clean_sum_main(void)
{
    sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += values[i];
    }
}

int clean_sum_return(void)
{
    return sum != 2016; /* 63 * 64 / 2 */
}

int main(void)
{
    clean_sum_init();
    clean_sum_main();
    return clean_sum_return();
}
