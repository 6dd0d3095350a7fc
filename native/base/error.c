/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 0))) static void
set(struct laxity_error *error, int exit_code, const char *format, va_list arguments)
{
    if (error->exit_code == 0) {
        (void)vsnprintf(error->text, sizeof error->text, format, arguments);
        error->exit_code = exit_code;
    }
}

void laxity_error_set(struct laxity_error *error, int exit_code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, exit_code, format, arguments);
    va_end(arguments);
}

int laxity_refuse(struct laxity_error *error, int exit_code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, exit_code, format, arguments);
    va_end(arguments);
    return -1;
}

void laxity_format(char *text, unsigned long bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, bytes, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
}
