/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Writes one element beyond an array: what it hits depends on where the linker has put things. */
int bounds_limits[4] = {7, 7, 7, 7};
int bounds_table[4] = {1, 2, 3, 4};
int bounds_weights[4] = {5, 5, 5, 5};
volatile int bounds_length = 5;
static int result;

void out_of_bounds_init(void);
void out_of_bounds_main(void);
int out_of_bounds_return(void);

void out_of_bounds_init(void) {}

void out_of_bounds_main(void)
{
    for (int i = 0; i < bounds_length; i++) {
        bounds_table[i] = i;
    }
    result = bounds_weights[0] * 100 + bounds_limits[0];
}

int out_of_bounds_return(void)
{
    return result;
}

int main(void)
{
    out_of_bounds_init();
    out_of_bounds_main();
    return out_of_bounds_return() == 0;
}
