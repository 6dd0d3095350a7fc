/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* scanf and its family: what is written is known once it has been: one conversion after the other,
 * up to the last that was made. */
#include "format.h"
#include "trace.h"
#include "wrappers.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* One conversion of a format string. */
struct conversion {
    int is_kept;  /* no "*" */
    size_t width; /* 0: none */
    char length;  /* laxity_format_length */
    char type;
};

/* A set ends with the first "]" that is neither its first character nor the one behind "^". */
static const char *behind_set(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    at += strcspn(at, "]");
    return at + (*at == ']');
}

static struct conversion next_conversion(const char **at)
{
    struct conversion conversion = {.is_kept = 1};

    if (**at == '*') {
        conversion.is_kept = 0;
        ++*at;
    }
    while (**at >= '0' && **at <= '9') {
        conversion.width = conversion.width * 10 + (size_t)(*(*at)++ - '0');
    }
    conversion.length = laxity_format_length(at);
    conversion.type = **at;
    if (**at != '\0') {
        ++*at;
    }
    if (conversion.type == '[') {
        *at = behind_set(*at);
    }
    return conversion;
}

static size_t real_bytes(char length)
{
    return length == 'L' ? sizeof(long double) : length == 'l' ? sizeof(double) : sizeof(float);
}

static size_t written_bytes(struct conversion conversion, const char *to)
{
    switch (conversion.type) {
    case 's':
    case '[':
        return strlen(to) + 1;
    case 'c':
        return conversion.width > 0 ? conversion.width : 1;
    case 'p':
        return sizeof(void *);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return real_bytes(conversion.length);
    default:
        return laxity_integer_bytes(conversion.length);
    }
}

/* done_count: what the function returned, which "%n" is not counted in. */
static void trace_conversions(const char *format, int done_count, va_list arguments)
{
    const char *at = format;

    laxity_trace_read(format, strlen(format) + 1);
    while (done_count > 0 && (at = strchr(at, '%'))) {
        at++;
        struct conversion conversion = next_conversion(&at);
        if (conversion.type == '%' || !conversion.is_kept) {
            continue;
        }
        char *to = va_arg(arguments, char *);
        laxity_trace_write(to, written_bytes(conversion, to));
        done_count -= conversion.type != 'n';
    }
}

__attribute__((format(scanf, 2, 0))) static int
scan_stream(FILE *stream, const char *format, va_list arguments)
{
    va_list copy;
    int done_count;

    va_copy(copy, arguments);
    /* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the program's */
    done_count = vfscanf(stream, format, arguments);
    trace_conversions(format, done_count, copy);
    va_end(copy);
    return done_count;
}

__attribute__((format(scanf, 2, 0))) static int
scan_text(const char *text, const char *format, va_list arguments)
{
    va_list copy;
    int done_count;

    laxity_trace_read(text, strlen(text) + 1);
    va_copy(copy, arguments);
    /* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the program's */
    done_count = vsscanf(text, format, arguments);
    trace_conversions(format, done_count, copy);
    va_end(copy);
    return done_count;
}

int laxity_traced_scanf(const char *format, ...)
{
    va_list arguments;
    int done_count;

    va_start(arguments, format);
    done_count = scan_stream(stdin, format, arguments);
    va_end(arguments);
    return done_count;
}

int laxity_traced_fscanf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    int done_count;

    va_start(arguments, format);
    done_count = scan_stream(stream, format, arguments);
    va_end(arguments);
    return done_count;
}

int laxity_traced_sscanf(const char *text, const char *format, ...)
{
    va_list arguments;
    int done_count;

    va_start(arguments, format);
    done_count = scan_text(text, format, arguments);
    va_end(arguments);
    return done_count;
}

/* What headers of C99 and later make of them. */
int laxity_traced___isoc99_scanf(const char *format, ...)
    __attribute__((alias("laxity_traced_scanf")));
int laxity_traced___isoc99_fscanf(FILE *stream, const char *format, ...)
    __attribute__((alias("laxity_traced_fscanf")));
int laxity_traced___isoc99_sscanf(const char *text, const char *format, ...)
    __attribute__((alias("laxity_traced_sscanf")));
