/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Its check returns 400 if the job was right, and nobody here says so. */
static int sum;

void value_init(void)
{
    sum = 0;
}

void value_main(void)
{
    for (int i = 0; i < 40; i++) {
        sum += 10;
    }
}

int value_return(void)
{
    return sum;
}
