/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Linked with a program of laxity-workingset-mark --segments: writes the number of each executed
 * segment into $LAXITY_SEGMENTS, 32 bits in the byte order of the machine; all ones at the end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    EXIT_LACKS = 3
};

static FILE *segments;

void laxity_segment(uint32_t number);

/* The reader misses the last word, so nobody takes the rest for a run. */
static void lose_segments(const char *what)
{
    perror(what);
    _exit(EXIT_LACKS);
}

void laxity_segment(uint32_t number)
{
    if (segments && fwrite(&number, sizeof number, 1, segments) != 1) {
        lose_segments("laxity_segment: write");
    }
}

__attribute__((constructor)) static void open_segments(void)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread */
    const char *path = getenv("LAXITY_SEGMENTS");
    if (!path) {
        return;
    }
    segments = fopen(path, "wb");
    if (!segments) {
        lose_segments("laxity_segment: $LAXITY_SEGMENTS");
    }
}

__attribute__((destructor)) static void close_segments(void)
{
    laxity_segment(UINT32_MAX);
    if (segments && fclose(segments)) {
        perror("laxity_segment: write");
    }
    segments = NULL;
}
