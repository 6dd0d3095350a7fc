/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/*
 * The other runtime of an instrumented program: it traces nothing, and overwrites at the end of
 * each segment every byte that the analysis calls dead there, each time with something else. The
 * program must not notice.
 */
#include "garbage.h"
#include "poison_table.h"
#include "trace.h"
#include "trace_words.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EXIT_NO_TABLE = 99
};

/* An instance of an object that exists now. */
struct instance {
    uint64_t object; /* enum laxity_trace_object << 32 | index */
    char *address;
    uint64_t size_bytes;
    const char *frame; /* of the function that made it; NULL: it has no frame */
};

static struct instance *instances;
static size_t instance_count, instance_capacity;
static const struct laxity_poison_header *table;
static const uint32_t *row_sets;
static const uint64_t *set_starts;
static const struct laxity_poison_range *ranges;
static uint64_t poisoned_bytes;

static void give_up(const char *why)
{
    fprintf(stderr, "laxity-workingset-oracle: poisoning the program: %s\n", why);
    _exit(EXIT_NO_TABLE);
}

static void open_table(void)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread */
    const char *path = getenv("LAXITY_WORKINGSET_POISON");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;

    if (fd < 0 || fstat(fd, &status)) {
        give_up("LAXITY_WORKINGSET_POISON names no table; make one by check --poison");
    }
    table = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (table == MAP_FAILED) {
        give_up("the table cannot be mapped");
    }
    row_sets = (const uint32_t *)(table + 1);
    set_starts = (const uint64_t *)((const char *)table + table->set_starts_offset);
    ranges = (const struct laxity_poison_range *)((const char *)table + table->ranges_offset);
    close(fd);
    laxity_trace_end_with_program();
}

/* Frames that have been left lie below the one that calls us. */
static void remove_left_frames(const char *frame)
{
    while (instance_count > 0 && instances[instance_count - 1].frame &&
           instances[instance_count - 1].frame < frame) {
        instance_count--;
    }
    for (size_t i = 0; i < instance_count;) {
        if (instances[i].frame && instances[i].frame < frame) {
            instances[i] = instances[--instance_count];
        } else {
            i++;
        }
    }
}

static void remove_overlapping(const char *address, uint64_t size_bytes)
{
    for (size_t i = 0; i < instance_count;) {
        if (instances[i].address < address + size_bytes &&
            address < instances[i].address + instances[i].size_bytes) {
            instances[i] = instances[--instance_count];
        } else {
            i++;
        }
    }
}

static void add_instance(struct instance added)
{
    remove_overlapping(added.address, added.size_bytes);
    if (instance_count == instance_capacity) {
        size_t capacity = instance_capacity ? instance_capacity * 2 : 256;
        struct instance *larger = realloc(instances, capacity * sizeof(*instances));
        if (!larger) {
            give_up("no memory");
        }
        instances = larger;
        instance_capacity = capacity;
    }
    instances[instance_count++] = added;
}

static void poison_object(const struct laxity_poison_range *range)
{
    for (size_t i = 0; i < instance_count; i++) {
        const struct instance *instance = &instances[i];
        uint64_t end =
            range->end_byte < instance->size_bytes ? range->end_byte : instance->size_bytes;
        if (instance->object == range->object && range->first_byte < end) {
            laxity_poison_bytes(instance->address + range->first_byte, end - range->first_byte);
            poisoned_bytes += end - range->first_byte;
        }
    }
}

static void poison_dead(uint32_t instruction, uint32_t context)
{
    uint32_t set;

    if (!table) {
        open_table();
    }
    if (context >= table->context_count || instruction >= table->instruction_count) {
        give_up("the program came to a context that its trace does not have");
    }
    set = row_sets[(uint64_t)context * table->instruction_count + instruction];
    if (set == LAXITY_POISON_NOTHING) {
        return;
    }
    for (uint64_t i = set_starts[set]; i < set_starts[set + 1]; i++) {
        poison_object(&ranges[i]);
    }
}

/* A frame that was left since the last end of a segment is where our own is now. */
void laxity_trace_segment(uint32_t instruction, uint32_t context)
{
    remove_left_frames(__builtin_frame_address(0));
    poison_dead(instruction, context);
}

void laxity_trace_call(uint32_t instruction, uint32_t context)
{
    remove_left_frames(__builtin_frame_address(0));
    poison_dead(instruction, context);
    laxity_trace_set_site((struct laxity_trace_site){.instruction = instruction, .context = context}
    );
}

void laxity_trace_alloca(
    uint32_t instruction, const void *address, uint64_t size_bytes, uint32_t is_constant
)
{
    (void)is_constant;
    add_instance((struct instance){
        .object = (uint64_t)LAXITY_TRACE_INSTRUCTION << 32 | instruction,
        .address = (char *)(uintptr_t)address, /* NOLINT(performance-no-int-to-ptr): drops const */
        .size_bytes = size_bytes,
        .frame = __builtin_frame_address(0),
    });
}

void laxity_trace_birth(uint32_t kind, uint32_t index, const void *address, uint64_t size_bytes)
{
    add_instance((struct instance){
        .object = (uint64_t)kind << 32 | index,
        .address = (char *)(uintptr_t)address, /* NOLINT(performance-no-int-to-ptr): drops const */
        .size_bytes = size_bytes,
        .frame = kind == LAXITY_TRACE_ARGUMENT ? __builtin_frame_address(0) : NULL,
    });
}

void laxity_trace_allocate(const void *address, uint64_t size_bytes)
{
    if (address && size_bytes > 0) {
        laxity_trace_birth(
            LAXITY_TRACE_INSTRUCTION, laxity_trace_current_site().instruction, address, size_bytes
        );
    }
}

/* Of free(): the block is not ours to write to any more. Lifetime markers leave their alloca where
 * it is. */
void laxity_trace_forget(const void *address, uint64_t size_bytes)
{
    (void)size_bytes;
    for (size_t i = 0; i < instance_count; i++) {
        if (instances[i].address == address && !instances[i].frame) {
            instances[i] = instances[--instance_count];
            return;
        }
    }
}

void laxity_trace_access(const void *address)
{
    (void)address;
}

void laxity_trace_read(const void *address, uint64_t size_bytes)
{
    (void)address;
    (void)size_bytes;
}

void laxity_trace_write(const void *address, uint64_t size_bytes)
{
    (void)address;
    (void)size_bytes;
}

void laxity_trace_new_context(uint32_t parent, uint32_t site, uint32_t function)
{
    (void)parent;
    (void)site;
    (void)function;
}

void laxity_trace_recursion(uint32_t context, uint32_t parent, uint32_t site)
{
    (void)context;
    (void)parent;
    (void)site;
}

/* How much was overwritten: a test that overwrites nothing would prove nothing. */
void laxity_trace_finish(void)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread */
    const char *path = getenv("LAXITY_WORKINGSET_POISONED");
    FILE *out = path ? fopen(path, "w") : NULL;

    if (out) {
        fprintf(out, "%llu\n", (unsigned long long)poisoned_bytes);
        fclose(out);
    }
}
