/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Several values a job, as RT-Bench's newer versions have them. A port that names extra_measurement
 * makes the linker take this object, and its constructor with it.
 */
#include "harness/workload_ops.h"

#include <logging.h>
#include <stdbool.h>
#include <stddef.h>

struct benchmark_extra_data extra_measurement;

/* As these versions have it; in older ones it returns the value. */
__attribute__((weak)) void benchmark_log_data(void);
__attribute__((weak)) const char *benchmark_log_header(void);

static const char *header(unsigned *out_n)
{
    const char *names = extra_measurement.header;
    if (!names && benchmark_log_header) {
        names = benchmark_log_header();
    }
    const bool is_there =
        benchmark_log_data && extra_measurement.data && extra_measurement.num_elements > 0;
    *out_n = is_there ? (unsigned)extra_measurement.num_elements : 0;
    return is_there ? names : NULL;
}

static void read_values(float *out_values, unsigned n)
{
    extra_measurement.status = EXTRA_MEASUREMENT_VALID;
    benchmark_log_data();
    const bool is_valid = extra_measurement.status == EXTRA_MEASUREMENT_VALID;
    for (unsigned i = 0; i < n; i++) {
        out_values[i] = is_valid ? (float)extra_measurement.data[i] : __builtin_nanf("");
    }
}

__attribute__((constructor)) static void set_ops(void)
{
    static const struct laxity_log_ops ops = {header, read_values};
    laxity_workload_ops()->log = &ops;
}
