/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * sha small|large: the SHA-256 of random bytes, at once and in uneven pieces.
 *
 * Source: FIPS 180-4, "Secure Hash Standard". Checked per job: both ways agree, and the standard's
 * example, "abc", comes out as published.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_BYTES = 4 * 1024,
    LARGE_BYTES = 512 * 1024,
    WORD_BYTES = 4,
    BLOCK_WORDS = 16,
    BLOCK_BYTES = BLOCK_WORDS * WORD_BYTES,
    LENGTH_BYTES = 8,
    ROUND_COUNT = 64,
    STATE_WORDS = 8,
    /* No divisor of a block's 64 bytes: pieces end at every place within one. */
    PIECE_BYTES = 211,
    PHASE_BYTES = 32 * 1024 /* of a phase */
};

/* Mark of phases. */
enum {
    HASH = 1
};

struct hash {
    uint32_t words[STATE_WORDS];
};

struct hasher {
    struct hash hash;
    uint64_t byte_count;
    uint8_t block[BLOCK_BYTES];
};

static const struct workload_sizes sizes = {"sha", SMALL_BYTES, LARGE_BYTES};

static struct {
    struct workload_outcome outcome;
    uint8_t *message;
    size_t bytes;
} sha;

/* FIPS 180-4, 4.2.2: fractions of the cube roots of the first 64 primes. */
static const uint32_t round_constants[ROUND_COUNT] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* FIPS 180-4, 5.3.3: fractions of the square roots of the first 8 primes. */
static const struct hash initial_hash = {
    {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
};

static uint32_t rotate_right(const uint32_t word, const unsigned count)
{
    return word >> count | word << (32 - count);
}

/* FIPS 180-4, 6.2.2, step 1 */
static void make_schedule(const uint8_t block[BLOCK_BYTES], uint32_t out_schedule[ROUND_COUNT])
{
    for (size_t i = 0; i < BLOCK_WORDS; i++) {
        const uint8_t *const bytes = &block[i * WORD_BYTES];

        out_schedule[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                          (uint32_t)bytes[2] << 8 | bytes[3];
    }
    for (int i = BLOCK_WORDS; i < ROUND_COUNT; i++) {
        const uint32_t a = out_schedule[i - 15];
        const uint32_t b = out_schedule[i - 2];
        const uint32_t sigma_0 = rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3;
        const uint32_t sigma_1 = rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10;

        out_schedule[i] = sigma_1 + out_schedule[i - 7] + sigma_0 + out_schedule[i - 16];
    }
}

/* FIPS 180-4, 6.2.2, steps 2 to 4; words[0] to words[7] are its a to h. */
static void hash_block(struct hash *const hash, const uint8_t block[BLOCK_BYTES])
{
    uint32_t schedule[ROUND_COUNT];
    struct hash working = *hash;
    uint32_t *const words = working.words;

    make_schedule(block, schedule);
    for (int i = 0; i < ROUND_COUNT; i++) {
        const uint32_t a = words[0];
        const uint32_t e = words[4];
        const uint32_t sum_0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        const uint32_t sum_1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        const uint32_t choice = (e & words[5]) ^ (~e & words[6]);
        const uint32_t majority = (a & words[1]) ^ (a & words[2]) ^ (words[1] & words[2]);
        const uint32_t mixed = words[7] + sum_1 + choice + round_constants[i] + schedule[i];

        words[7] = words[6];
        words[6] = words[5];
        words[5] = e;
        words[4] = words[3] + mixed;
        words[3] = words[2];
        words[2] = words[1];
        words[1] = a;
        words[0] = mixed + sum_0 + majority;
    }
    for (int i = 0; i < STATE_WORDS; i++) {
        hash->words[i] += words[i];
    }
}

static void add_bytes(struct hasher *const hasher, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        const size_t place = hasher->byte_count % BLOCK_BYTES;
        const size_t room = BLOCK_BYTES - place;
        const size_t taken = count < room ? count : room;

        if (hasher->byte_count % PHASE_BYTES == 0) {
            laxity_phase(HASH);
        }
        memcpy(&hasher->block[place], bytes, taken);
        hasher->byte_count += taken;
        bytes += taken;
        count -= taken;
        if (taken == room) {
            hash_block(&hasher->hash, hasher->block);
        }
    }
}

/* FIPS 180-4, 5.1.1: a 1, as many 0 as fill the block, and the length in bits. */
static struct hash finish(struct hasher *const hasher)
{
    const uint64_t bit_count = hasher->byte_count * 8;
    const uint8_t one = 0x80;
    const uint8_t zero = 0;
    uint8_t length[LENGTH_BYTES];

    for (unsigned i = 0; i < LENGTH_BYTES; i++) {
        length[i] = (uint8_t)(bit_count >> (8 * (LENGTH_BYTES - 1 - i)));
    }
    add_bytes(hasher, &one, 1);
    while (hasher->byte_count % BLOCK_BYTES != BLOCK_BYTES - LENGTH_BYTES) {
        add_bytes(hasher, &zero, 1);
    }
    add_bytes(hasher, length, sizeof length);
    return hasher->hash;
}

static struct hash
hash_in_pieces(const uint8_t *const bytes, const size_t count, const size_t piece_bytes)
{
    struct hasher hasher = {.hash = initial_hash};

    for (size_t done = 0; done < count; done += piece_bytes) {
        add_bytes(&hasher, bytes + done, count - done < piece_bytes ? count - done : piece_bytes);
    }
    return finish(&hasher);
}

/* Example of FIPS 180-4, published in "Secure Hash Standard - Examples" (NIST): SHA-256 of "abc".
 */
static void check_example(void)
{
    static const struct hash expected = {
        {0xba7816bf,
         0x8f01cfea,
         0x414140de,
         0x5dae2223,
         0xb00361a3,
         0x96177a9c,
         0xb410ff61,
         0xf20015ad}
    };
    const struct hash hash = hash_in_pieces((const uint8_t *)"abc", 3, 3);

    if (memcmp(&hash, &expected, sizeof hash) != 0) {
        workload_fail_job("sha", "the example of FIPS 180-4, \"abc\", comes out wrong");
    }
}

static void check_equal(const struct hash *const at_once, const struct hash *const in_pieces)
{
    if (memcmp(at_once, in_pieces, sizeof *at_once) != 0) {
        workload_fail_job("sha", "the message at once and in pieces give different hashes");
    }
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t state;

    if (workload_begin(&sizes, argc, argv, &sha.outcome, &sha.bytes, &state) != 0) {
        return -1;
    }
    sha.message = workload_allocate("sha", sha.bytes);
    if (sha.message == NULL) {
        return -1;
    }
    for (size_t i = 0; i < sha.bytes; i++) {
        sha.message[i] = (uint8_t)workload_next_random(&state);
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const struct hash at_once = hash_in_pieces(sha.message, sha.bytes, sha.bytes);
    const struct hash in_pieces = hash_in_pieces(sha.message, sha.bytes, PIECE_BYTES);
    uint32_t digest = WORKLOAD_DIGEST_START;

    (void)argc;
    (void)argv;
    check_example();
    check_equal(&at_once, &in_pieces);
    for (int i = 0; i < STATE_WORDS; i++) {
        digest = workload_fold_word(digest, at_once.words[i]);
    }
    workload_check_digest(&sha.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&sha.outcome);
    free(sha.message);
    sha.message = NULL;
}
