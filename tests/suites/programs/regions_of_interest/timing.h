/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#ifndef TIMING_H
#define TIMING_H

unsigned int *photonStartTiming(void);
unsigned int *photonEndTiming(void);
int fSelfCheck(float *got, const char *path, float tolerance);

#endif
