/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * crc32 small|large: the CRC-32 of Ethernet and zip of random bytes, one table look-up per byte.
 *
 * Init appends the message's CRC, calculated bit by bit; then the CRC of all is the same number
 * whatever the message, and each job checks that. Source: Sarwate, "Computation of cyclic
 * redundancy checks via table look-up", CACM 31 (1988).
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* ISO/IEC 3309: x^32 + x^26 + x^23 + ... + 1, lowest power in the highest bit. */
#define POLYNOMIAL UINT32_C(0xedb88320)
/* What is left of a message and its CRC, lowest byte first; the same for the empty message, whose
 * CRC is 0: the CRC of four bytes of 0. */
#define CRC_OF_ALL UINT32_C(0x2144df1c)

enum {
    SMALL_BYTES = 16 * 1024,
    LARGE_BYTES = 1024 * 1024,
    CRC_BYTES = 4,
    BYTE_BITS = 8,
    BYTE_VALUES = 256,
    PHASE_BYTES = 32 * 1024 /* of a phase */
};

/* Mark of phases. */
enum {
    PIECE = 1
};

static const struct workload_sizes sizes = {"crc32", SMALL_BYTES, LARGE_BYTES};

static struct {
    struct workload_outcome outcome;
    uint8_t *message; /* and its CRC behind it */
    size_t bytes;
    uint32_t table[BYTE_VALUES];
} crc32;

static uint32_t divide_byte(uint32_t rest)
{
    for (int bit = 0; bit < BYTE_BITS; bit++) {
        rest = (rest >> 1) ^ ((rest & 1) != 0 ? POLYNOMIAL : 0);
    }
    return rest;
}

/* Both calculations go on from the CRC of what stands before; 0 is the CRC of nothing. */
static uint32_t crc_by_bits(const uint32_t crc, const uint8_t *const bytes, const size_t count)
{
    uint32_t rest = ~crc;

    for (size_t i = 0; i < count; i++) {
        rest = divide_byte(rest ^ bytes[i]);
    }
    return ~rest;
}

static uint32_t crc_by_table(const uint32_t crc, const uint8_t *const bytes, const size_t count)
{
    uint32_t rest = ~crc;

    for (size_t i = 0; i < count; i++) {
        rest = (rest >> BYTE_BITS) ^ crc32.table[(rest ^ bytes[i]) % BYTE_VALUES];
    }
    return ~rest;
}

static uint32_t crc_of_message(void)
{
    uint32_t crc = 0;

    for (size_t done = 0; done < crc32.bytes; done += PHASE_BYTES) {
        const size_t left = crc32.bytes - done;

        laxity_phase(PIECE);
        crc = crc_by_table(crc, crc32.message + done, left < PHASE_BYTES ? left : PHASE_BYTES);
    }
    return crc;
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &crc32.outcome, &crc32.bytes, &state) != 0) {
        return -1;
    }
    crc32.message = workload_allocate("crc32", crc32.bytes + CRC_BYTES);
    if (crc32.message == NULL) {
        return -1;
    }
    for (uint32_t value = 0; value < BYTE_VALUES; value++) {
        crc32.table[value] = divide_byte(value);
    }
    for (size_t i = 0; i < crc32.bytes; i++) {
        crc32.message[i] = (uint8_t)workload_next_random(&state);
    }
    const uint32_t crc = crc_by_bits(0, crc32.message, crc32.bytes);

    for (size_t i = 0; i < CRC_BYTES; i++) {
        crc32.message[crc32.bytes + i] = (uint8_t)(crc >> i * BYTE_BITS);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const uint32_t crc = crc_of_message();
    const uint32_t crc_of_all = crc_by_table(crc, crc32.message + crc32.bytes, CRC_BYTES);

    (void)argc;
    (void)argv;
    if (crc_of_all != CRC_OF_ALL) {
        workload_fail_job(
            "crc32",
            "message and CRC give %08" PRIx32 ", expected %08" PRIx32,
            crc_of_all,
            CRC_OF_ALL
        );
    }
    workload_check_digest(&crc32.outcome, crc);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&crc32.outcome);
    free(crc32.message);
    crc32.message = NULL;
}
