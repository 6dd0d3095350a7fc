/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Two regions between timing calls, as SD-VBS has them, and a check that is right at 1. */
#include "timing.h"

#include <stdio.h>

int main(void)
{
    float sum = 0;
    unsigned int *begin = photonStartTiming();
    for (int i = 0; i < 1000; i++) {
        sum += 0.5F;
    }
    unsigned int *end = photonEndTiming();
    if (end[0] < begin[0]) {
        return 1;
    }
    (void)photonStartTiming();
    sum += 1;
    (void)photonEndTiming();
    printf("%d\n", fSelfCheck(&sum, "expected.txt", 0.25F));
    return 0;
}
