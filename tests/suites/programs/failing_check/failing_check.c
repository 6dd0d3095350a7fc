/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Its own main says that its result is wrong. */
static int result;

void failing_check_init(void);
void failing_check_main(void);
int failing_check_return(void);

void failing_check_init(void)
{
    result = 0;
}

void failing_check_main(void)
{
    result = 3;
}

int failing_check_return(void)
{
    return result != 4;
}

int main(void)
{
    failing_check_init();
    failing_check_main();
    return failing_check_return();
}
