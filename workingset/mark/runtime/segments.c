/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Linked with a program of laxity-workingset-mark --segments: writes the number of each executed
 * segment into $LAXITY_SEGMENTS, 32 bits in the byte order of the machine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *segments;
static const int exit_lacks = 3;

void laxity_segment(uint32_t number);

void laxity_segment(uint32_t number)
{
    if (segments && fwrite(&number, sizeof number, 1, segments) != 1) {
        perror("laxity_segment: write");
        exit(exit_lacks);
    }
}

__attribute__((constructor)) static void open_segments(void)
{
    const char *path = getenv("LAXITY_SEGMENTS");
    if (path) {
        segments = fopen(path, "wb");
        if (!segments) {
            perror("laxity_segment: $LAXITY_SEGMENTS");
            exit(exit_lacks);
        }
    }
}

__attribute__((destructor)) static void close_segments(void)
{
    if (segments && fclose(segments)) {
        perror("laxity_segment: write");
    }
}
