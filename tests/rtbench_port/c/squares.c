/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "squares.h"

long square(long number)
{
    return number * number;
}
