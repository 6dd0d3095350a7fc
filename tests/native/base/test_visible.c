/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/visible.h"

#include <stdio.h>
#include <stdlib.h>

static char *written(const char *text, size_t bytes)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    CHECK(out != NULL);
    laxity_write_visible(out, text, bytes);
    (void)fclose(out);
    return shown;
}

static void check_shown(const char *text, size_t bytes, const char *expected)
{
    char *shown = written(text, bytes);
    CHECK_TEXT(shown, expected);
    free(shown);
}

#define CHECK_SHOWN(text, expected) check_shown(text, sizeof(text) - 1, expected)

static void a_terminal_obeys_no_name(void)
{
    /* ESC, NUL, CR, DEL; C1's CSI; U+061C, U+200F, U+2028, U+202E, U+2069. */
    CHECK_SHOWN("a\x1b[31mb", "a\\u001b[31mb");
    CHECK_SHOWN("\0|\r|\x7f", "\\u0000|\\u000d|\\u007f");
    CHECK_SHOWN("\xc2\x9b", "\\u009b");
    CHECK_SHOWN("\xd8\x9c|\xe2\x80\x8f", "\\u061c|\\u200f");
    CHECK_SHOWN("\xe2\x80\xa8|\xe2\x80\xae|\xe2\x81\xa9", "\\u2028|\\u202e|\\u2069");
}

static void letters_lines_and_tabs_stay(void)
{
    /* Beside what is obeyed: U+00A0, U+200D (it joins letters), U+202F, U+206A; U+1F600. */
    CHECK_SHOWN("a\tb\n", "a\tb\n");
    CHECK_SHOWN(
        "\xc2\xa0\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xaa",
        "\xc2\xa0\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xaa"
    );
    CHECK_SHOWN("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

static void bytes_that_are_no_utf8_are_told_as_bytes(void)
{
    /* CSI of an 8-bit terminal; a sequence that the end cuts. */
    CHECK_SHOWN("\x9b", "\\x9b");
    CHECK_SHOWN("a\xe2\x80", "a\\xe2\\x80");
}

static void a_long_text_is_shown_whole(void)
{
    enum {
        BYTES = 5000,
        SHOWN = 6 /* of each */
    };
    char text[BYTES];
    memset(text, '\x1b', sizeof text);
    char *shown = written(text, sizeof text);
    CHECK_EQUAL((int64_t)strlen(shown), (int64_t)BYTES * SHOWN);
    CHECK_TEXT(shown + (size_t)(BYTES - 1) * SHOWN, "\\u001b");
    free(shown);
}

int main(void)
{
    RUN(a_terminal_obeys_no_name);
    RUN(letters_lines_and_tabs_stay);
    RUN(bytes_that_are_no_utf8_are_told_as_bytes);
    RUN(a_long_text_is_shown_whole);
    return test_exit_code();
}
