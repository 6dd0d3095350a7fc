/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * gsm small|large: codes generated sound as GSM 06.10 with libgsm, 20 ms per frame, and decodes it.
 *
 * Coder and decoder remember what they heard, so each job makes new ones: the library allocates and
 * frees within each job.
 */
#include "../common/adpcm.h"
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <gsm.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SMALL_COUNT = 50,
    LARGE_COUNT = 500,
    FRAME_SAMPLES = 160,
    FRAME_BYTES = sizeof(gsm_frame),
    /* 10 dB; the sound of 200 seeds comes back with 14 dB to 23 dB. */
    LEAST_POWER_RATIO = 10
};

static const struct workload_sizes sizes = {"gsm", SMALL_COUNT, LARGE_COUNT};

static struct {
    struct workload_outcome outcome;
    int16_t *samples;
    int16_t *decoded;
    uint8_t *frames;
    size_t frame_count;
} sound;

static gsm make_codec(void)
{
    const gsm codec = gsm_create();

    if (codec == NULL) {
        workload_fail_job("gsm", "gsm_create: no memory");
    }
    return codec;
}

static void encode(void)
{
    const gsm codec = make_codec();

    for (size_t i = 0; i < sound.frame_count; i++) {
        gsm_encode(codec, sound.samples + i * FRAME_SAMPLES, sound.frames + i * FRAME_BYTES);
    }
    gsm_destroy(codec);
}

static void decode(void)
{
    const gsm codec = make_codec();
    size_t frame = 0;

    while (frame < sound.frame_count &&
           gsm_decode(
               codec, sound.frames + frame * FRAME_BYTES, sound.decoded + frame * FRAME_SAMPLES
           ) == 0) {
        frame++;
    }
    gsm_destroy(codec);
    if (frame < sound.frame_count) {
        workload_fail_job("gsm", "frame %zu is no frame of GSM 06.10", frame);
    }
}

static void compare(void)
{
    uint64_t signal_power = 0;
    uint64_t error_power = 0;

    for (size_t i = 0; i < sound.frame_count * FRAME_SAMPLES; i++) {
        const int64_t error = sound.decoded[i] - sound.samples[i];

        signal_power += (uint64_t)((int64_t)sound.samples[i] * sound.samples[i]);
        error_power += (uint64_t)(error * error);
    }
    if (error_power * LEAST_POWER_RATIO > signal_power) {
        workload_fail_job(
            "gsm",
            "the decoded sound is off by a power of %" PRIu64 ", the sound's is %" PRIu64,
            error_power,
            signal_power
        );
    }
}

int benchmark_init(const int argc, void **const argv)
{
    uint64_t seed;

    if (workload_begin(&sizes, argc, argv, &sound.outcome, &sound.frame_count, &seed) != 0) {
        return -1;
    }
    const size_t sample_count = sound.frame_count * FRAME_SAMPLES;

    sound.samples = workload_allocate(
        "gsm", 2 * sample_count * sizeof *sound.samples + sound.frame_count * FRAME_BYTES
    );
    if (sound.samples == NULL) {
        return -1;
    }
    sound.decoded = sound.samples + sample_count;
    sound.frames = (uint8_t *)(sound.decoded + sample_count);
    workload_adpcm_make_signal(sound.samples, sample_count, seed);
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    uint32_t digest;

    (void)argc;
    (void)argv;
    encode();
    decode();
    compare();
    digest =
        workload_fold_bytes(WORKLOAD_DIGEST_START, sound.frames, sound.frame_count * FRAME_BYTES);
    for (size_t i = 0; i < sound.frame_count * FRAME_SAMPLES; i++) {
        digest = workload_fold_word(digest, (uint16_t)sound.decoded[i]);
    }
    workload_check_digest(&sound.outcome, digest);
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    workload_print_outcome(&sound.outcome);
    free(sound.samples);
    sound.samples = NULL;
}
