/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* State in a section of its own name. The loader tells that it is writable; of a static link nobody
 * does. */
static int count __attribute__((section("own_counters"))) = 1;

void own_section_init(void);
void own_section_main(void);
int own_section_return(void);

void own_section_init(void) {}

void own_section_main(void)
{
    count++;
}

int own_section_return(void)
{
    return count != 2;
}

int main(void)
{
    own_section_init();
    own_section_main();
    return own_section_return();
}
