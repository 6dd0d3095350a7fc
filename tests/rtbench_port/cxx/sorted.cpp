// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// A port in C++; <cmath> after RT-Bench's header, whose logf is a macro.
#include "logging.h"
#include "periodic_benchmark.h"

#include <algorithm>
#include <cmath>
#include <vector>

static std::vector<double> roots;

int benchmark_init(int, void **)
{
    roots.resize(1000);
    return 0;
}

void benchmark_execution(int, void **)
{
    for (size_t i = 0; i < roots.size(); i++) {
        roots[i] = std::sqrt(static_cast<double>(roots.size() - i));
    }
    std::sort(roots.begin(), roots.end());
}

void benchmark_teardown(int, void **)
{
    logf(LOG_LEVEL_INFO, "last root %.3f\n", roots.back());
}

#ifdef EXTENDED_REPORT
const char *benchmark_log_header()
{
    return ",first(exp:1)";
}

float benchmark_log_data()
{
    return static_cast<float>(roots.front());
}
#endif
