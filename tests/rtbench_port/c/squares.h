/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#ifndef SQUARES_H
#define SQUARES_H

long square(long number);

#endif
