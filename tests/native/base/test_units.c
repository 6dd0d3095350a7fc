/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"

#include <laxity/units.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UNTOUCHED = -42
};

static int64_t parsed_ns(const char *const text)
{
    int64_t ns = UNTOUCHED;
    const int status = laxity_parse_ns(text, &ns);

    return status == 0 ? ns : status;
}

static uint64_t parsed_bytes(const char *const text)
{
    uint64_t bytes = 0;

    if (laxity_parse_bytes(text, &bytes) != 0) {
        test_fail(__FILE__, __LINE__, "\"%s\" is refused", text);
    }
    return bytes;
}

static int bytes_status(const char *const text)
{
    uint64_t bytes = 0;

    return laxity_parse_bytes(text, &bytes);
}

static void every_time_unit_has_its_worth(void)
{
    CHECK_EQUAL(parsed_ns("250ns"), 250);
    CHECK_EQUAL(parsed_ns("50us"), 50000);
    CHECK_EQUAL(parsed_ns("10ms"), 10000000);
    CHECK_EQUAL(parsed_ns("10s"), 10000000000);
    CHECK_EQUAL(parsed_ns("2m"), 120000000000);
    CHECK_EQUAL(parsed_ns("1h"), 3600000000000);
    CHECK_EQUAL(parsed_ns("0ns"), 0);
}

static void every_size_unit_has_its_worth(void)
{
    CHECK_EQUAL(parsed_bytes("128B"), 128);
    CHECK_EQUAL(parsed_bytes("64KiB"), 65536);
    CHECK_EQUAL(parsed_bytes("1MiB"), 1048576);
    CHECK_EQUAL(parsed_bytes("2GiB"), 2147483648);
    CHECK_EQUAL(parsed_bytes("1TiB"), 1099511627776);
    CHECK_EQUAL(parsed_bytes("500kB"), 500000);
    CHECK_EQUAL(parsed_bytes("1MB"), 1000000);
    CHECK_EQUAL(parsed_bytes("3GB"), 3000000000);
    CHECK_EQUAL(parsed_bytes("1TB"), 1000000000000);
}

static void decimal_fractions_are_exact(void)
{
    CHECK_EQUAL(parsed_ns("1.5us"), 1500);
    CHECK_EQUAL(parsed_ns("0.1ms"), 100000);
    CHECK_EQUAL(parsed_ns("1.001us"), 1001);
    CHECK_EQUAL(parsed_ns("0.000000001s"), 1);
    CHECK_EQUAL(parsed_ns("1.0ns"), 1);
    /* 0.5 h = 1800 s; 0.0125 h = 1/80 h = 45 s. */
    CHECK_EQUAL(parsed_ns("0.5h"), 1800000000000);
    CHECK_EQUAL(parsed_ns("0.0125h"), 45000000000);
    CHECK_EQUAL(parsed_bytes("0.5KiB"), 512);
    CHECK_EQUAL(parsed_bytes("1.5GiB"), 1610612736);
    /* 2^-40 TiB is one byte and has forty decimal digits, more than any integer type holds. */
    CHECK_EQUAL(parsed_bytes("0.0000000000009094947017729282379150390625TiB"), 1);
    CHECK_EQUAL(parsed_ns("1.500000000000000000000000000000000000000000000000us"), 1500);
}

static void value_that_is_no_whole_number_of_the_base_unit_is_refused(void)
{
    CHECK_EQUAL(parsed_ns("0.3ns"), -EINVAL);
    CHECK_EQUAL(parsed_ns("1.0001us"), -EINVAL);
    CHECK_EQUAL(parsed_ns("1.00000000000000000000000000000000000000000000001s"), -EINVAL);
    CHECK_EQUAL(bytes_status("0.5B"), -EINVAL);
    CHECK_EQUAL(bytes_status("0.1KiB"), -EINVAL); /* 102.4 */
    CHECK_EQUAL(parsed_bytes("0.1kB"), 100);
}

static void number_without_unit_is_refused(void)
{
    CHECK_EQUAL(parsed_ns("10"), -EINVAL);
    CHECK_EQUAL(parsed_ns("0"), -EINVAL);
    CHECK_EQUAL(bytes_status("65536"), -EINVAL);
}

static void text_that_is_not_number_and_unit_is_refused(void)
{
    static const char *const texts[] = {
        "",     "ms",     "-1ms",       "+1ms",  " 1ms", "1ms ",  "1 ms",  "1.ms",
        ".5ms", "1..5ms", "1.5.5ms",    "1,5ms", "0x1s", "1e3us", "1msms", "1MS",
        "1Ms",  "1sec",   "1\xc2\xb5s", "nan",   "infs", "1min",  "1KiB",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t ns = UNTOUCHED;

        if (laxity_parse_ns(texts[i], &ns) != -EINVAL) {
            test_fail(__FILE__, __LINE__, "\"%s\" is not refused", texts[i]);
        }
        CHECK_EQUAL(ns, UNTOUCHED);
    }
}

static void size_units_are_spelled_exactly(void)
{
    static const char *const texts[] = {
        "1K", "1k", "1KB", "1kiB", "1kib", "1M", "1mB", "1b", "1Bytes", "1ms", "-1B"
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (bytes_status(texts[i]) != -EINVAL) {
            test_fail(__FILE__, __LINE__, "\"%s\" is not refused", texts[i]);
        }
    }
}

static void largest_duration_fits_and_the_next_does_not(void)
{
    CHECK_EQUAL(parsed_ns("9223372036854775807ns"), INT64_MAX);
    CHECK_EQUAL(parsed_ns("9223372036854775808ns"), -ERANGE);
    CHECK_EQUAL(parsed_ns("9223372036.854775807s"), INT64_MAX);
    CHECK_EQUAL(parsed_ns("9223372036.854775808s"), -ERANGE);
    CHECK_EQUAL(parsed_ns("99999999999999999999999999h"), -ERANGE);
}

static void largest_size_fits_and_the_next_does_not(void)
{
    CHECK(parsed_bytes("18446744073709551615B") == UINT64_MAX);
    CHECK_EQUAL(bytes_status("18446744073709551616B"), -ERANGE);
    /* 2^64 / 2^40 = 2^24 = 16777216 */
    CHECK(parsed_bytes("16777215TiB") == UINT64_C(16777215) << 40);
    CHECK_EQUAL(bytes_status("16777216TiB"), -ERANGE);
}

static void check_size_text(const uint64_t bytes, const char *const expected)
{
    char text[LAXITY_BYTES_TEXT_BYTES];

    CHECK_TEXT(laxity_format_bytes(bytes, text), expected);
    CHECK(parsed_bytes(text) == bytes);
}

static void size_is_written_exactly_in_the_largest_unit(void)
{
    check_size_text(0, "0B");
    check_size_text(1023, "1023B");
    check_size_text(1024, "1KiB");
    check_size_text(1025, "1025B");
    check_size_text(1536 << 10, "1536KiB");
    check_size_text(1 << 20, "1MiB");
    check_size_text(UINT64_C(107374182400), "100GiB"); /* 100 * 2^30 */
    check_size_text(UINT64_C(3) << 40, "3TiB");
    check_size_text(UINT64_C(1) << 63, "8388608TiB"); /* 2^23 */
    check_size_text(UINT64_MAX, "18446744073709551615B");
    check_size_text(UINT64_MAX - 1023, "18014398509481983KiB"); /* 2^54 - 1 */
}

static void malformed_text_is_malformed_even_if_its_number_is_too_large(void)
{
    CHECK_EQUAL(parsed_ns("99999999999999999999999999"), -EINVAL);
    CHECK_EQUAL(parsed_ns("99999999999999999999999999.3ns"), -EINVAL);
}

static void nothing_is_written_on_failure(void)
{
    int64_t ns = UNTOUCHED;
    uint64_t bytes = 42;
    uint64_t count = 43;

    CHECK_EQUAL(laxity_parse_ns("9223372036854775808ns", &ns), -ERANGE);
    CHECK_EQUAL(laxity_parse_bytes("1XB", &bytes), -EINVAL);
    CHECK_EQUAL(laxity_parse_count("11", 0, 10, &count), -ERANGE);
    CHECK_EQUAL(ns, UNTOUCHED);
    CHECK_EQUAL(bytes, 42);
    CHECK_EQUAL(count, 43);
}

static void count_lies_within_its_bounds(void)
{
    uint64_t count = 0;

    CHECK_EQUAL(laxity_parse_count("3", 3, 5, &count), 0);
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(laxity_parse_count("5", 3, 5, &count), 0);
    CHECK_EQUAL(count, 5);
    CHECK_EQUAL(laxity_parse_count("2", 3, 5, &count), -ERANGE);
    CHECK_EQUAL(laxity_parse_count("6", 3, 5, &count), -ERANGE);
    CHECK_EQUAL(laxity_parse_count("18446744073709551615", 0, UINT64_MAX, &count), 0);
    CHECK(count == UINT64_MAX);
    CHECK_EQUAL(laxity_parse_count("18446744073709551616", 0, UINT64_MAX, &count), -ERANGE);
}

static void count_is_a_whole_number_and_nothing_else(void)
{
    static const char *const texts[] = {
        "", "-1", "+1", " 1", "1 ", "1.0", "1.", "0x10", "1e3", "one", "1s", "1B"
    };
    uint64_t count = 0;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (laxity_parse_count(texts[i], 0, UINT64_MAX, &count) != -EINVAL) {
            test_fail(__FILE__, __LINE__, "\"%s\" is not refused", texts[i]);
        }
    }
}

int main(void)
{
    RUN(every_time_unit_has_its_worth);
    RUN(every_size_unit_has_its_worth);
    RUN(decimal_fractions_are_exact);
    RUN(value_that_is_no_whole_number_of_the_base_unit_is_refused);
    RUN(number_without_unit_is_refused);
    RUN(text_that_is_not_number_and_unit_is_refused);
    RUN(size_units_are_spelled_exactly);
    RUN(largest_duration_fits_and_the_next_does_not);
    RUN(largest_size_fits_and_the_next_does_not);
    RUN(size_is_written_exactly_in_the_largest_unit);
    RUN(malformed_text_is_malformed_even_if_its_number_is_too_large);
    RUN(nothing_is_written_on_failure);
    RUN(count_lies_within_its_bounds);
    RUN(count_is_a_whole_number_and_nothing_else);
    return test_exit_code();
}
