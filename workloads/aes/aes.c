/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * aes small|large: encrypts random bytes with AES-128 in blocks chained to each other, and decrypts
 * them.
 *
 * Sources: FIPS 197, "Advanced Encryption Standard"; NIST SP 800-38A, section 6.2 (CBC). Checked
 * per job: the standard's example, and that the bytes come back. Byte by byte, for its times; not
 * protected against anybody who measures them.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_BYTES = 1024,
    LARGE_BYTES = 64 * 1024,
    BLOCK_BYTES = 16,
    COLUMN_BYTES = 4,
    ROUND_COUNT = 10,
    BYTE_VALUES = 256,
    AFFINE_CONSTANT = 0x63, /* FIPS 197, 5.1.1 */
    FIELD_POLYNOMIAL = 0x1b /* x^8 + x^4 + x^3 + x + 1 without x^8, FIPS 197, 4.2 */
};

struct block {
    uint8_t bytes[BLOCK_BYTES]; /* column after column */
};

static const struct workload_sizes sizes = {"aes", SMALL_BYTES, LARGE_BYTES};

static struct {
    struct workload_outcome outcome;
    struct block *plain;
    struct block *cipher;
    struct block *decrypted;
    size_t bytes;
    struct block round_keys[ROUND_COUNT + 1];
    struct block example_keys[ROUND_COUNT + 1];
    struct block first_chained; /* takes the part of the block before the first */
    uint8_t substitutes[BYTE_VALUES];
    uint8_t originals[BYTE_VALUES];
} aes;

static uint8_t times_x(const uint8_t value)
{
    return (uint8_t)(value << 1 ^ (value >> 7) * FIELD_POLYNOMIAL);
}

/* FIPS 197, 4.2: in the field of 2^8 elements. */
static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;

    while (b != 0) {
        product ^= (uint8_t)((b & 1) * a);
        a = times_x(a);
        b >>= 1;
    }
    return product;
}

static uint8_t rotate_left(const uint8_t value, const unsigned count)
{
    return (uint8_t)(value << count | value >> (8 - count));
}

/* FIPS 197, 5.1.1: the inverse, each of whose bits is then the sum of five. 3 generates all
 * elements but 0, and 0xf6 is its inverse: walking both ways meets each element and its inverse. */
static void make_tables(void)
{
    uint8_t value = 1;
    uint8_t inverse = 1;

    aes.substitutes[0] = AFFINE_CONSTANT;
    do {
        value = multiply(value, 0x03);
        inverse = multiply(inverse, 0xf6);
        aes.substitutes[value] =
            (uint8_t)(inverse ^ rotate_left(inverse, 1) ^ rotate_left(inverse, 2) ^
                      rotate_left(inverse, 3) ^ rotate_left(inverse, 4) ^ AFFINE_CONSTANT);
    } while (value != 1);
    for (unsigned i = 0; i < BYTE_VALUES; i++) {
        aes.originals[aes.substitutes[i]] = (uint8_t)i;
    }
}

/* FIPS 197, 5.2 */
static void expand_key(const struct block *const key, struct block round_keys[ROUND_COUNT + 1])
{
    uint8_t round_constant = 1;

    round_keys[0] = *key;
    for (int round = 1; round <= ROUND_COUNT; round++) {
        const uint8_t *const before = round_keys[round - 1].bytes;
        const uint8_t *const last = before + BLOCK_BYTES - COLUMN_BYTES;
        uint8_t *const made = round_keys[round].bytes;

        for (int i = 0; i < COLUMN_BYTES; i++) {
            made[i] = before[i] ^ aes.substitutes[last[(i + 1) % COLUMN_BYTES]];
        }
        made[0] ^= round_constant;
        for (int i = COLUMN_BYTES; i < BLOCK_BYTES; i++) {
            made[i] = before[i] ^ made[i - COLUMN_BYTES];
        }
        round_constant = times_x(round_constant);
    }
}

static void add(struct block *const state, const struct block *const other)
{
    for (int i = 0; i < BLOCK_BYTES; i++) {
        state->bytes[i] ^= other->bytes[i];
    }
}

/* SubBytes and ShiftRows: row r of column c comes from column c + r. */
static void substitute_and_shift(struct block *const state)
{
    const struct block before = *state;

    for (int i = 0; i < BLOCK_BYTES; i++) {
        const int row = i % COLUMN_BYTES;

        state->bytes[i] = aes.substitutes[before.bytes[(i + COLUMN_BYTES * row) % BLOCK_BYTES]];
    }
}

static void unshift_and_restore(struct block *const state)
{
    const struct block before = *state;

    for (int i = 0; i < BLOCK_BYTES; i++) {
        const int row = i % COLUMN_BYTES;

        state->bytes[(i + COLUMN_BYTES * row) % BLOCK_BYTES] = aes.originals[before.bytes[i]];
    }
}

/* FIPS 197, 5.1.3: 2 a + 3 b + c + d = 2 (a + b) + (a + b + c + d) + a, and so on round. */
static void mix_columns(struct block *const state)
{
    for (int column = 0; column < BLOCK_BYTES; column += COLUMN_BYTES) {
        uint8_t *const bytes = &state->bytes[column];
        const uint8_t first = bytes[0];
        const uint8_t sum = bytes[0] ^ bytes[1] ^ bytes[2] ^ bytes[3];

        for (int i = 0; i < COLUMN_BYTES; i++) {
            const uint8_t next = i + 1 < COLUMN_BYTES ? bytes[i + 1] : first;

            bytes[i] ^= (uint8_t)(times_x(bytes[i] ^ next) ^ sum);
        }
    }
}

/* FIPS 197, 5.3.3: the inverse's polynomial is that of MixColumns times 4 x^2 + 5, so adding
 * 4 (a + c) to a and c, 4 (b + d) to b and d, and mixing undoes a mixing. */
static void unmix_columns(struct block *const state)
{
    for (int column = 0; column < BLOCK_BYTES; column += COLUMN_BYTES) {
        uint8_t *const bytes = &state->bytes[column];
        const uint8_t even = times_x(times_x(bytes[0] ^ bytes[2]));
        const uint8_t odd = times_x(times_x(bytes[1] ^ bytes[3]));

        bytes[0] ^= even;
        bytes[1] ^= odd;
        bytes[2] ^= even;
        bytes[3] ^= odd;
    }
    mix_columns(state);
}

/* FIPS 197, 5.1 */
static void encrypt_block(struct block *const state, const struct block round_keys[ROUND_COUNT + 1])
{
    add(state, &round_keys[0]);
    for (int round = 1; round < ROUND_COUNT; round++) {
        substitute_and_shift(state);
        mix_columns(state);
        add(state, &round_keys[round]);
    }
    substitute_and_shift(state);
    add(state, &round_keys[ROUND_COUNT]);
}

/* FIPS 197, 5.3 */
static void decrypt_block(struct block *const state, const struct block round_keys[ROUND_COUNT + 1])
{
    add(state, &round_keys[ROUND_COUNT]);
    for (int round = ROUND_COUNT - 1; round > 0; round--) {
        unshift_and_restore(state);
        add(state, &round_keys[round]);
        unmix_columns(state);
    }
    unshift_and_restore(state);
    add(state, &round_keys[0]);
}

static void encrypt_all(void)
{
    const struct block *chained = &aes.first_chained;

    for (size_t i = 0; i < aes.bytes / BLOCK_BYTES; i++) {
        aes.cipher[i] = aes.plain[i];
        add(&aes.cipher[i], chained);
        encrypt_block(&aes.cipher[i], aes.round_keys);
        chained = &aes.cipher[i];
    }
}

static void decrypt_all(void)
{
    const struct block *chained = &aes.first_chained;

    for (size_t i = 0; i < aes.bytes / BLOCK_BYTES; i++) {
        aes.decrypted[i] = aes.cipher[i];
        decrypt_block(&aes.decrypted[i], aes.round_keys);
        add(&aes.decrypted[i], chained);
        chained = &aes.cipher[i];
    }
}

/* FIPS 197, appendix C.1: the key 00 01 ... 0f, the block 00 11 ... ff. */
static void check_example(void)
{
    static const struct block expected = {
        {0x69,
         0xc4,
         0xe0,
         0xd8,
         0x6a,
         0x7b,
         0x04,
         0x30,
         0xd8,
         0xcd,
         0xb7,
         0x80,
         0x70,
         0xb4,
         0xc5,
         0x5a}
    };
    struct block state;

    for (int i = 0; i < BLOCK_BYTES; i++) {
        state.bytes[i] = (uint8_t)(i * 0x11);
    }
    encrypt_block(&state, aes.example_keys);
    if (memcmp(&state, &expected, sizeof state) != 0) {
        workload_fail_job("aes", "the example of FIPS 197, appendix C.1, comes out wrong");
    }
}

static void fill(void *const memory, const size_t count, uint64_t *const state)
{
    uint8_t *const bytes = memory;

    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)workload_next_random(state);
    }
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;
    struct block key;

    if (workload_begin(&sizes, argc, argv, &aes.outcome, &aes.bytes, &state) != 0) {
        return -1;
    }
    aes.plain = workload_allocate("aes", 3 * aes.bytes);
    if (aes.plain == NULL) {
        return -1;
    }
    aes.cipher = aes.plain + aes.bytes / BLOCK_BYTES;
    aes.decrypted = aes.cipher + aes.bytes / BLOCK_BYTES;
    make_tables();
    for (int i = 0; i < BLOCK_BYTES; i++) {
        key.bytes[i] = (uint8_t)i;
    }
    expand_key(&key, aes.example_keys);
    fill(&key, sizeof key, &state);
    expand_key(&key, aes.round_keys);
    fill(&aes.first_chained, sizeof aes.first_chained, &state);
    fill(aes.plain, aes.bytes, &state);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    check_example();
    encrypt_all();
    decrypt_all();
    if (memcmp(aes.decrypted, aes.plain, aes.bytes) != 0) {
        workload_fail_job("aes", "the decrypted bytes are not those that were encrypted");
    }
    workload_check_digest(
        &aes.outcome,
        workload_fold_bytes(WORKLOAD_DIGEST_START, (const uint8_t *)aes.cipher, aes.bytes)
    );
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&aes.outcome);
    free(aes.plain);
    aes.plain = NULL;
}
