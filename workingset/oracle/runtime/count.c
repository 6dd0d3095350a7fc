/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
#include "count.h"

#include "trace_words.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* An open hash table of a power of two of entries, at most half of them used. */
struct counted_segment {
    uint64_t key; /* payload + 1; 0: free */
    uint64_t executions;
};

enum {
    FIRST_CAPACITY = 1024
};

static struct counted_segment *segments;
static size_t capacity;
static size_t used_count;

static struct counted_segment *
find_entry(struct counted_segment *table, size_t table_capacity, uint64_t key)
{
    /* The golden ratio in 64 bits (Knuth, volume 3, section 6.4) spreads neighbours. */
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

    for (;; place++) {
        struct counted_segment *entry = &table[place & (table_capacity - 1)];
        if (entry->key == key || entry->key == 0) {
            return entry;
        }
    }
}

static int grow(void)
{
    size_t larger = capacity ? capacity * 2 : FIRST_CAPACITY;
    struct counted_segment *table = calloc(larger, sizeof(*table));

    if (!table) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < capacity; i++) {
        if (segments[i].key) {
            *find_entry(table, larger, segments[i].key) = segments[i];
        }
    }
    free(segments);
    segments = table;
    capacity = larger;
    return 0;
}

static int count_segment(uint64_t payload)
{
    struct counted_segment *entry;

    if (used_count * 2 >= capacity && grow()) {
        return -ENOMEM;
    }
    entry = find_entry(segments, capacity, payload + 1);
    if (entry->key == 0) {
        entry->key = payload + 1;
        used_count++;
    }
    entry->executions++;
    return 0;
}

int laxity_count_segments(uint64_t *words, size_t *word_count)
{
    size_t kept_count = 0;

    for (size_t i = 0; i < *word_count; i++) {
        switch ((enum laxity_trace_tag)(words[i] >> LAXITY_TRACE_TAG_SHIFT)) {
        case LAXITY_TRACE_SEGMENT:
            if (count_segment(words[i] & LAXITY_TRACE_PAYLOAD)) {
                return -ENOMEM;
            }
            break;
        case LAXITY_TRACE_SITE:
        case LAXITY_TRACE_CONTEXT:
        case LAXITY_TRACE_RECURSION:
        case LAXITY_TRACE_END:
            words[kept_count++] = words[i];
            break;
        default:
            break;
        }
    }
    *word_count = kept_count;
    return 0;
}

void laxity_count_tell(void (*tell)(uint64_t payload, uint64_t executions))
{
    for (size_t i = 0; i < capacity; i++) {
        if (segments[i].key) {
            tell(segments[i].key - 1, segments[i].executions);
        }
    }
}
