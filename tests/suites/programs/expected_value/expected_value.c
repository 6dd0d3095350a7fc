/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Its check returns 400 when all is well, and its main compares with that. */
static int result;

void expected_value_init(void);
void expected_value_main(void);
int expected_value_return(void);

void expected_value_init(void)
{
    result = 0;
}

void expected_value_main(void)
{
    result = 0;
    for (int i = 0; i < 20; i++) {
        result += 20;
    }
}

int expected_value_return(void)
{
    return result;
}

int main(void)
{
    expected_value_init();
    expected_value_main();
    return expected_value_return() == 400 ? 0 : -1;
}
