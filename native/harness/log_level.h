/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a program ported to RT-Bench is told of the command line. */
#ifndef LAXITY_HARNESS_LOG_LEVEL_H
#define LAXITY_HARNESS_LOG_LEVEL_H

#include <stdint.h>

/*
 * laxity_set_log_level - -l of RT-Bench's command line, before benchmark_init; only programs linked
 * with RT-Bench's log macros define it
 */
__attribute__((weak)) void laxity_set_log_level(uint32_t level);

#endif
