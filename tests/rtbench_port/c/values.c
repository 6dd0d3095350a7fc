/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A port with several values a job, `values HEADER N`: job j of 1, 2, ... has the values j + 0.5,
 * 2 (j + 0.5) and so on, N of them; the third job has none. */
#include "logging.h"
#include "periodic_benchmark.h"

static int n_jobs;

int benchmark_init(int parameters_num, void **parameters)
{
    if (parameters_num != 2) {
        return -1;
    }
    extra_measurement.header = parameters[0];
    extra_measurement.num_elements = atoi(parameters[1]);
    extra_measurement.data = calloc((size_t)extra_measurement.num_elements, sizeof(double));
    return extra_measurement.data ? 0 : -1;
}

void benchmark_execution(int parameters_num, void **parameters)
{
    (void)parameters_num;
    (void)parameters;
    n_jobs++;
}

void benchmark_log_data(void)
{
    for (int i = 0; i < extra_measurement.num_elements; i++) {
        extra_measurement.data[i] = (i + 1) * (n_jobs + 0.5);
    }
    if (n_jobs == 3) {
        extra_measurement.status = EXTRA_MEASUREMENT_INVALID;
    }
}

void benchmark_teardown(int parameters_num, void **parameters)
{
    (void)parameters_num;
    (void)parameters;
    free(extra_measurement.data);
}
