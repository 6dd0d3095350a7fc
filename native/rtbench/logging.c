/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a program that was ported to RT-Bench links with, beside the harness and rtbench/logging.c.
 */
#include "harness/log_level.h"

#include <rtbench/logging.h>
#include <stdint.h>

void laxity_set_log_level(uint32_t level)
{
    benchmark_verbosity = (enum log_level)level;
}
