/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Streams. What the C library keeps of them is its own memory, which is no object of the program.
 */
#include "format.h"
#include "trace.h"
#include "wrappers.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One conversion of a format string. */
struct conversion {
    char length; /* laxity_format_length */
    char type;
    int precision; /* -1: none */
};

static int digits_or_star(const char **at, va_list *arguments)
{
    int value = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    while (**at >= '0' && **at <= '9') {
        value = value * 10 + (*(*at)++ - '0');
    }
    return value;
}

static struct conversion next_conversion(const char **at, va_list *arguments)
{
    struct conversion conversion = {.precision = -1};

    *at += strspn(*at, "-+ #0'");
    (void)digits_or_star(at, arguments);
    if (**at == '.') {
        ++*at;
        conversion.precision = digits_or_star(at, arguments);
    }
    conversion.length = laxity_format_length(at);
    conversion.type = **at;
    if (**at != '\0') {
        ++*at;
    }
    return conversion;
}

static void trace_string(const char *text, int precision)
{
    size_t limit_bytes = precision >= 0 ? (size_t)precision : SIZE_MAX;
    size_t length = text ? strnlen(text, limit_bytes) : 0;

    if (text) {
        laxity_trace_read(text, length < limit_bytes ? length + 1 : limit_bytes);
    }
}

static void trace_conversion(struct conversion conversion, va_list *arguments)
{
    switch (conversion.type) {
    case 's':
        trace_string(va_arg(*arguments, const char *), conversion.precision);
        break;
    case 'n':
        laxity_trace_write(va_arg(*arguments, void *), laxity_integer_bytes(conversion.length));
        break;
    case 'p':
        (void)va_arg(*arguments, void *);
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        /* NOLINTNEXTLINE(bugprone-branch-clone): the types differ */
        if (conversion.length == 'L') {
            (void)va_arg(*arguments, long double);
        } else {
            (void)va_arg(*arguments, double);
        }
        break;
    case '%':
    case '\0':
        break;
    default: /* the integers */
        /* NOLINTNEXTLINE(bugprone-branch-clone): the types differ */
        if (conversion.length == 'q') {
            (void)va_arg(*arguments, long long);
        } else if (conversion.length == 'l' || conversion.length == 'z') {
            (void)va_arg(*arguments, long);
        } else {
            (void)va_arg(*arguments, int);
        }
    }
}

static void trace_format(const char *format, va_list arguments)
{
    va_list copy;
    const char *at = format;

    laxity_trace_read(format, strlen(format) + 1);
    va_copy(copy, arguments);
    while ((at = strchr(at, '%'))) {
        at++;
        trace_conversion(next_conversion(&at, &copy), &copy);
    }
    va_end(copy);
}

int laxity_traced_printf(const char *format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    trace_format(format, arguments);
    result = vprintf(format, arguments);
    va_end(arguments);
    return result;
}

int laxity_traced_fprintf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    trace_format(format, arguments);
    result = vfprintf(stream, format, arguments);
    va_end(arguments);
    return result;
}

int laxity_traced_dprintf(int fd, const char *format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    trace_format(format, arguments);
    result = vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}

int laxity_traced_sprintf(char *to, const char *format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    trace_format(format, arguments);
    /* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy): it is what the program called */
    result = vsprintf(to, format, arguments);
    va_end(arguments);
    if (result >= 0) {
        laxity_trace_write(to, (size_t)result + 1);
    }
    return result;
}

int laxity_traced_snprintf(char *to, size_t size_bytes, const char *format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    trace_format(format, arguments);
    result = vsnprintf(to, size_bytes, format, arguments);
    va_end(arguments);
    if (result >= 0 && size_bytes > 0) {
        laxity_trace_write(to, (size_t)result < size_bytes ? (size_t)result + 1 : size_bytes);
    }
    return result;
}

int laxity_traced_puts(const char *text)
{
    trace_string(text, -1);
    return puts(text);
}

int laxity_traced_fputs(const char *text, FILE *stream)
{
    trace_string(text, -1);
    return fputs(text, stream);
}

size_t laxity_traced_fwrite(const void *from, size_t element_bytes, size_t count, FILE *stream)
{
    laxity_trace_read(from, element_bytes * count);
    return fwrite(from, element_bytes, count, stream);
}

size_t laxity_traced_fread(void *to, size_t element_bytes, size_t count, FILE *stream)
{
    size_t done_count = fread(to, element_bytes, count, stream);

    laxity_trace_write(to, element_bytes * done_count);
    return done_count;
}

char *laxity_traced_fgets(char *to, int size_bytes, FILE *stream)
{
    char *line = fgets(to, size_bytes, stream);

    if (line) {
        laxity_trace_write(line, strlen(line) + 1);
    }
    return line;
}

FILE *laxity_traced_fopen(const char *path, const char *mode)
{
    trace_string(path, -1);
    trace_string(mode, -1);
    return fopen(path, mode);
}

FILE *laxity_traced_fdopen(int fd, const char *mode)
{
    trace_string(mode, -1);
    return fdopen(fd, mode);
}

FILE *laxity_traced_freopen(const char *path, const char *mode, FILE *stream)
{
    trace_string(path, -1);
    trace_string(mode, -1);
    return freopen(path, mode, stream);
}

/* A va_list: where it is an array, it is the caller's memory; elsewhere a value. */
static void trace_arguments(const char *format, va_list arguments)
{
#ifdef __x86_64__
    laxity_trace_read(arguments, sizeof(va_list));
#endif
    trace_format(format, arguments);
}

int laxity_traced_vprintf(const char *format, va_list arguments)
{
    trace_arguments(format, arguments);
    return vprintf(format, arguments);
}

int laxity_traced_vfprintf(FILE *stream, const char *format, va_list arguments)
{
    trace_arguments(format, arguments);
    return vfprintf(stream, format, arguments);
}

int laxity_traced_vsprintf(char *to, const char *format, va_list arguments)
{
    int result;

    trace_arguments(format, arguments);
    /* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy): it is what the program called */
    result = vsprintf(to, format, arguments);
    if (result >= 0) {
        laxity_trace_write(to, (size_t)result + 1);
    }
    return result;
}

int laxity_traced_vsnprintf(char *to, size_t size_bytes, const char *format, va_list arguments)
{
    int result;

    trace_arguments(format, arguments);
    result = vsnprintf(to, size_bytes, format, arguments);
    if (result >= 0 && size_bytes > 0) {
        laxity_trace_write(to, (size_t)result < size_bytes ? (size_t)result + 1 : size_bytes);
    }
    return result;
}
