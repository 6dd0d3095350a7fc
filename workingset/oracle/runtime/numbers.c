/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Numbers in text, and those of libm that come back through pointers. */
#include "trace.h"
#include "wrappers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number ends where strtod() would: the longest of all readings, and the character behind it. */
static void read_number(const char *text)
{
    char *end = NULL;

    (void)strtod(text, &end);
    laxity_trace_read(text, (size_t)(end - text) + 1);
}

static void wrote_end(char **out_end)
{
    if (out_end) {
        laxity_trace_write(out_end, sizeof(*out_end));
    }
}

int laxity_traced_atoi(const char *text)
{
    read_number(text);
    /* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): as the program called it */
    return atoi(text);
}

long laxity_traced_atol(const char *text)
{
    read_number(text);
    /* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): as the program called it */
    return atol(text);
}

long long laxity_traced_atoll(const char *text)
{
    read_number(text);
    /* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): as the program called it */
    return atoll(text);
}

double laxity_traced_atof(const char *text)
{
    read_number(text);
    /* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): as the program called it */
    return atof(text);
}

long laxity_traced_strtol(const char *text, char **out_end, int base)
{
    read_number(text);
    wrote_end(out_end);
    return strtol(text, out_end, base);
}

unsigned long laxity_traced_strtoul(const char *text, char **out_end, int base)
{
    read_number(text);
    wrote_end(out_end);
    return strtoul(text, out_end, base);
}

long long laxity_traced_strtoll(const char *text, char **out_end, int base)
{
    read_number(text);
    wrote_end(out_end);
    return strtoll(text, out_end, base);
}

unsigned long long laxity_traced_strtoull(const char *text, char **out_end, int base)
{
    read_number(text);
    wrote_end(out_end);
    return strtoull(text, out_end, base);
}

double laxity_traced_strtod(const char *text, char **out_end)
{
    read_number(text);
    wrote_end(out_end);
    return strtod(text, out_end);
}

float laxity_traced_strtof(const char *text, char **out_end)
{
    read_number(text);
    wrote_end(out_end);
    return strtof(text, out_end);
}

double laxity_traced_nan(const char *payload)
{
    laxity_trace_read(payload, strlen(payload) + 1);
    return nan(payload);
}

float laxity_traced_nanf(const char *payload)
{
    laxity_trace_read(payload, strlen(payload) + 1);
    return nanf(payload);
}

double laxity_traced_frexp(double value, int *out_exponent)
{
    laxity_trace_write(out_exponent, sizeof(*out_exponent));
    return frexp(value, out_exponent);
}

float laxity_traced_frexpf(float value, int *out_exponent)
{
    laxity_trace_write(out_exponent, sizeof(*out_exponent));
    return frexpf(value, out_exponent);
}

double laxity_traced_modf(double value, double *out_whole)
{
    laxity_trace_write(out_whole, sizeof(*out_whole));
    return modf(value, out_whole);
}

float laxity_traced_modff(float value, float *out_whole)
{
    laxity_trace_write(out_whole, sizeof(*out_whole));
    return modff(value, out_whole);
}

void laxity_traced_sincos(double angle, double *out_sine, double *out_cosine)
{
    laxity_trace_write(out_sine, sizeof(*out_sine));
    laxity_trace_write(out_cosine, sizeof(*out_cosine));
    sincos(angle, out_sine, out_cosine);
}

void laxity_traced_sincosf(float angle, float *out_sine, float *out_cosine)
{
    laxity_trace_write(out_sine, sizeof(*out_sine));
    laxity_trace_write(out_cosine, sizeof(*out_cosine));
    sincosf(angle, out_sine, out_cosine);
}

double laxity_traced_remquo(double dividend, double divisor, int *out_quotient)
{
    laxity_trace_write(out_quotient, sizeof(*out_quotient));
    return remquo(dividend, divisor, out_quotient);
}
