/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The check is content whether the job has run or not. */
static int input[16];
static int output[16];

void vacuous_check_init(void);
void vacuous_check_main(void);
int vacuous_check_return(void);

void vacuous_check_init(void)
{
    for (int i = 0; i < 16; i++) {
        input[i] = i * i;
    }
}

void vacuous_check_main(void)
{
    for (int i = 0; i < 16; i++) {
        output[i] = input[i] * 3;
    }
}

int vacuous_check_return(void)
{
    return input[15] != 225; /* what init has set, not what the job has computed */
}

int main(void)
{
    vacuous_check_init();
    vacuous_check_main();
    return vacuous_check_return();
}
