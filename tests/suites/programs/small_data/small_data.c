/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* State in a section for small data, as compilers for PowerPC make it, which is neither .data nor
 * .bss. */
static int count __attribute__((section(".sbss"))); /* no bits, as compilers know it */

void small_data_init(void);
void small_data_main(void);
int small_data_return(void);

void small_data_init(void) {}

void small_data_main(void)
{
    count++;
}

int small_data_return(void)
{
    return count != 1;
}

int main(void)
{
    small_data_init();
    small_data_main();
    return small_data_return();
}
