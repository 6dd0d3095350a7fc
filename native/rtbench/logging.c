/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a program that was ported to RT-Bench links with, beside the harness. */
#include "harness/log_level.h"

#include <rtbench/logging.h>
#include <stdint.h>
#include <stdio.h>

enum log_level benchmark_verbosity = LOG_LEVEL_INFO;

void laxity_set_log_level(uint32_t level)
{
    benchmark_verbosity = (enum log_level)level;
}

FILE *open_log_file(char *filename)
{
    return fopen(filename, "we");
}

int close_log_file(FILE *file)
{
    return file ? fclose(file) : 0;
}
