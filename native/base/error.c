/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

void laxity_error_set(struct laxity_error *error, int exit_code, const char *format, ...)
{
    if (error->exit_code != 0) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->exit_code = exit_code;
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
