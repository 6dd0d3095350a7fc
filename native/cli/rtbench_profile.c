/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_profile.h"

#include "base/error.h"
#include "base/npy.h"
#include "cli/rtbench_counts.h"
#include "schema/streams.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One row of the profile. */
struct place {
    uint64_t samples;
    struct laxity_rtbench_counted sums;
};

struct laxity_rtbench_profile {
    FILE *in;
    struct laxity_counters_row row; /* the next one */
    bool has_row;
    struct place *places;
    size_t n_places;
    size_t room;
};

enum {
    /* RT-Bench has no column of cycles here. */
    PROFILE_COUNTS = LAXITY_RTBENCH_CYCLES,
    FIRST_ROOM = 64,
};

static void read_row(struct laxity_rtbench_profile *profile)
{
    profile->has_row = fread(&profile->row, sizeof profile->row, 1, profile->in) == 1;
}

int laxity_rtbench_profile_open(const char *run_dir, struct laxity_rtbench_profile **out_profile)
{
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "%s/counters.npy", run_dir);
    struct laxity_rtbench_profile *profile = calloc(1, sizeof *profile);
    if (!profile) {
        return -ENOMEM;
    }
    profile->in = fopen(path, "re");
    if (!profile->in || fseek(profile->in, LAXITY_NPY_HEADER_BYTES, SEEK_SET) != 0) {
        const int rc = -errno;
        laxity_rtbench_profile_close(profile);
        return rc;
    }
    read_row(profile);
    *out_profile = profile;
    return 0;
}

/* The place of a job's sample, made if no job lasted so long before. */
static struct place *find_place(struct laxity_rtbench_profile *profile, size_t index)
{
    if (index == profile->room) {
        const size_t room = profile->room == 0 ? FIRST_ROOM : 2 * profile->room;
        struct place *places = realloc(profile->places, room * sizeof *places);
        if (!places) {
            return NULL;
        }
        profile->places = places;
        profile->room = room;
    }
    if (index == profile->n_places) {
        profile->places[index] = (struct place){.samples = 0};
        profile->n_places++;
    }
    return &profile->places[index];
}

/* All events of the sample that comes next. */
static struct laxity_rtbench_counted read_sample(struct laxity_rtbench_profile *profile)
{
    struct laxity_rtbench_counted sample;
    for (unsigned i = 0; i < LAXITY_RTBENCH_COUNTS; i++) {
        sample.values[i] = INT64_MIN;
    }
    const int64_t time_ns = profile->row.time_ns;
    while (profile->has_row && profile->row.time_ns == time_ns) {
        const struct laxity_counters_row *row = &profile->row;
        if (row->event < LAXITY_RTBENCH_COUNTS) {
            sample.values[row->event] = laxity_rtbench_scaled(row->value, row->scale_ratio);
        }
        read_row(profile);
    }
    return sample;
}

/* One value that was not counted makes the sum one that is not. */
static void add_sample(
    struct place *place,
    const struct laxity_rtbench_counted *sample,
    const struct laxity_rtbench_counted *first
)
{
    place->samples++;
    for (unsigned i = 0; i < PROFILE_COUNTS; i++) {
        int64_t *sum = &place->sums.values[i];
        const bool is_counted =
            *sum != INT64_MIN && sample->values[i] != INT64_MIN && first->values[i] != INT64_MIN;
        *sum = is_counted ? *sum + sample->values[i] - first->values[i] : INT64_MIN;
    }
}

int laxity_rtbench_profile_add(
    struct laxity_rtbench_profile *profile, int64_t start_ns, int64_t finish_ns
)
{
    while (profile->has_row && profile->row.time_ns < start_ns) {
        read_row(profile);
    }
    struct laxity_rtbench_counted first;
    for (size_t index = 0; profile->has_row && profile->row.time_ns <= finish_ns; index++) {
        const struct laxity_rtbench_counted sample = read_sample(profile);
        if (index == 0) {
            first = sample;
        }
        struct place *place = find_place(profile, index);
        if (!place) {
            return -ENOMEM;
        }
        add_sample(place, &sample, &first);
    }
    return 0;
}

int laxity_rtbench_profile_write(const struct laxity_rtbench_profile *profile, FILE *out)
{
    /* RT-Bench's own text, blanks included. */
    (void)fputs("samples,l1_references,l1_refills,l2_references,l2_refills,inst_retired\n", out);
    for (size_t i = 0; profile && i < profile->n_places; i++) {
        const struct place *place = &profile->places[i];
        (void)fprintf(out, "%" PRIu64, place->samples);
        for (unsigned j = 0; j < PROFILE_COUNTS; j++) {
            (void)fputs(", ", out);
            laxity_rtbench_print_count(out, place->sums.values[j]);
        }
        (void)putc('\n', out);
    }
    return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}

void laxity_rtbench_profile_close(struct laxity_rtbench_profile *profile)
{
    if (profile) {
        if (profile->in) {
            (void)fclose(profile->in);
        }
        free(profile->places);
        free(profile);
    }
}
