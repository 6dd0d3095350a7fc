/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/*
 * The other runtime of an instrumented program: it traces nothing, and overwrites at the end of
 * each segment every byte that the analysis calls dead there, each time with something else. The
 * program must not notice. What was overwritten, is still dead and was not accessed since holds
 * garbage already: an object is looked at again when it is accessed or when something else of it is
 * dead, and of a large one only the blocks that were accessed.
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

enum {
    BLOCK_BYTES = 64,
    WORD_BLOCKS = 64,
    KNOWN_PLACES = 4096,       /* a power of two */
    LARGEST_ACCESS_BYTES = 64, /* of one instruction: the widest vector */
};

#define NO_INSTANCE UINT32_MAX

/* An instance of an object that exists now. */
struct instance {
    char *address;
    uint64_t size_bytes; /* 0: none, the place is free */
    const char *frame;   /* of the function that made it; NULL: it has no frame */
    uint64_t *garbage;   /* bit per block, counted from its own address: all of it was overwritten
                            and not accessed since */
    uint64_t inner_garbage; /* where one word is enough */
    uint32_t object;        /* place in the table */
    uint32_t next;          /* of the same object, or of free places */
    uint32_t previous;      /* of the same object */
    uint32_t pattern;       /* what was overwritten last; LAXITY_POISON_NOTHING: look again */
    uint32_t is_listed;     /* its place is among those with a frame, now or before it was freed */
};

static struct instance *instances;
static uint32_t instance_count, instance_capacity, first_free = NO_INSTANCE;
/* Those with a frame, as they were made. */
static uint32_t *framed;
static size_t framed_count, framed_capacity;
/* By object. Those to be looked at come first; all behind them have the object's last pattern. */
static uint32_t *first_instances, *last_patterns;
static uint32_t known_places[KNOWN_PLACES];
static const struct laxity_poison_header *table;
static const uint64_t *objects, *row_starts, *set_starts, *pattern_starts;
static const uint32_t *ends, *rows, *set_patterns, *pattern_objects;
static const struct laxity_poison_range *ranges;
static uint64_t poisoned_bytes;
static const char *amount_path; /* found at the start: the program may replace its environment */

static void give_up(const char *why)
{
    fprintf(stderr, "laxity-workingset-oracle: poisoning the program: %s\n", why);
    _exit(EXIT_NO_TABLE);
}

static const void *array_at(enum laxity_poison_array array)
{
    return (const char *)table + table->starts[array];
}

static void take_arrays(void)
{
    objects = array_at(LAXITY_POISON_OBJECTS);
    row_starts = array_at(LAXITY_POISON_ROW_STARTS);
    ends = array_at(LAXITY_POISON_ENDS);
    rows = array_at(LAXITY_POISON_ROWS);
    set_starts = array_at(LAXITY_POISON_SET_STARTS);
    set_patterns = array_at(LAXITY_POISON_SETS);
    pattern_starts = array_at(LAXITY_POISON_PATTERN_STARTS);
    pattern_objects = array_at(LAXITY_POISON_PATTERN_OBJECTS);
    ranges = array_at(LAXITY_POISON_RANGES);
    first_instances = malloc((table->object_count + 1) * sizeof(*first_instances));
    last_patterns = malloc((table->object_count + 1) * sizeof(*last_patterns));
    if (!first_instances || !last_patterns) {
        give_up("no memory");
    }
    for (uint64_t i = 0; i < table->object_count; i++) {
        first_instances[i] = NO_INSTANCE;
        last_patterns[i] = LAXITY_POISON_NOTHING;
    }
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
    take_arrays();
    close(fd);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread */
    amount_path = getenv("LAXITY_WORKINGSET_POISONED");
    laxity_trace_end_with_program();
}

static uint64_t block_count(uint64_t size_bytes)
{
    return (size_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

static uint64_t *garbage_of(struct instance *instance)
{
    return instance->garbage ? instance->garbage : &instance->inner_garbage;
}

static void put_first(uint32_t number)
{
    struct instance *instance = &instances[number];
    uint32_t *first = &first_instances[instance->object];

    instance->previous = NO_INSTANCE;
    instance->next = *first;
    if (*first != NO_INSTANCE) {
        instances[*first].previous = number;
    }
    *first = number;
}

static void take_out(uint32_t number)
{
    const struct instance *instance = &instances[number];

    if (instance->previous == NO_INSTANCE) {
        first_instances[instance->object] = instance->next;
    } else {
        instances[instance->previous].next = instance->next;
    }
    if (instance->next != NO_INSTANCE) {
        instances[instance->next].previous = instance->previous;
    }
}

static void remove_instance(uint32_t number)
{
    struct instance *removed = &instances[number];

    take_out(number);
    free(removed->garbage);
    *removed = (struct instance){.next = first_free, .is_listed = removed->is_listed};
    first_free = number;
}

/* Frames that have been left lie below the one that calls us. */
static void remove_left_frames(const char *frame)
{
    size_t kept = 0;

    for (size_t i = 0; i < framed_count; i++) {
        struct instance *instance = &instances[framed[i]];
        if (instance->size_bytes && instance->frame && instance->frame < frame) {
            remove_instance(framed[i]);
        }
        if (instance->size_bytes && instance->frame) {
            framed[kept++] = framed[i];
        } else {
            instance->is_listed = 0;
        }
    }
    framed_count = kept;
}

static void remove_overlapping(const char *address, uint64_t size_bytes)
{
    for (uint32_t i = 0; i < instance_count; i++) {
        if (instances[i].address < address + size_bytes &&
            address < instances[i].address + instances[i].size_bytes) {
            remove_instance(i);
        }
    }
}

/* The place of an object in the table; their number: nothing of it is ever dead. */
static uint32_t find_object(uint64_t object)
{
    uint64_t low = 0, high = table->object_count;

    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (objects[middle] < object) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)(low < table->object_count && objects[low] == object ? low
                                                                          : table->object_count);
}

static void *grown(void *old, size_t size_bytes)
{
    void *larger = realloc(old, size_bytes);

    if (!larger) {
        give_up("no memory");
    }
    return larger;
}

static uint32_t free_place(void)
{
    uint32_t number = first_free;

    if (number != NO_INSTANCE) {
        first_free = instances[number].next;
        return number;
    }
    if (instance_count == instance_capacity) {
        instance_capacity = instance_capacity ? instance_capacity * 2 : 256;
        instances = grown(instances, instance_capacity * sizeof(*instances));
    }
    instances[instance_count] = (struct instance){0};
    return instance_count++;
}

static void add_framed(uint32_t number)
{
    if (framed_count == framed_capacity) {
        framed_capacity = framed_capacity ? framed_capacity * 2 : 256;
        framed = grown(framed, framed_capacity * sizeof(*framed));
    }
    framed[framed_count++] = number;
}

static void
add_instance(uint64_t object, const void *address, uint64_t size_bytes, const char *frame)
{
    struct instance added = {
        .address = (char *)(uintptr_t)address, /* NOLINT(performance-no-int-to-ptr): drops const */
        .size_bytes = size_bytes,
        .frame = frame,
        .pattern = LAXITY_POISON_NOTHING,
    };
    uint32_t number;

    if (!table) {
        open_table();
    }
    remove_overlapping(address, size_bytes);
    added.object = find_object(object);
    if (added.object == table->object_count) {
        return;
    }
    if (block_count(size_bytes) > WORD_BLOCKS) {
        uint64_t words = (block_count(size_bytes) + WORD_BLOCKS - 1) / WORD_BLOCKS;
        added.garbage = calloc(words, sizeof(*added.garbage));
        if (!added.garbage) {
            give_up("no memory");
        }
    }
    number = free_place();
    added.is_listed = instances[number].is_listed;
    instances[number] = added;
    put_first(number);
    if (frame && !added.is_listed) {
        instances[number].is_listed = 1;
        add_framed(number);
    }
}

static void poison_bytes(const struct instance *instance, uint64_t first, uint64_t end)
{
    laxity_poison_bytes(instance->address + first, end - first);
    poisoned_bytes += end - first;
}

/* Blocks that a range holds only a part of are no garbage as a whole. */
static void poison_range(struct instance *instance, uint64_t first, uint64_t end)
{
    uint64_t *garbage = garbage_of(instance);

    for (uint64_t at = first; at < end;) {
        uint64_t block = at / BLOCK_BYTES;
        uint64_t next = (block + 1) * BLOCK_BYTES < end ? (block + 1) * BLOCK_BYTES : end;
        uint64_t bit = UINT64_C(1) << (block % WORD_BLOCKS);
        if (block % WORD_BLOCKS == 0 && garbage[block / WORD_BLOCKS] == UINT64_MAX &&
            at % BLOCK_BYTES == 0 && end - at >= (uint64_t)WORD_BLOCKS * BLOCK_BYTES) {
            at += (uint64_t)WORD_BLOCKS * BLOCK_BYTES;
            continue;
        }
        if (!(garbage[block / WORD_BLOCKS] & bit)) {
            poison_bytes(instance, at, next);
            if (at % BLOCK_BYTES == 0 && next - at == BLOCK_BYTES) {
                garbage[block / WORD_BLOCKS] |= bit;
            }
        }
        at = next;
    }
}

static void poison_instance(struct instance *instance, uint32_t pattern)
{
    if (instance->pattern == pattern) {
        return;
    }
    instance->pattern = pattern;
    for (uint64_t i = pattern_starts[pattern]; i < pattern_starts[pattern + 1]; i++) {
        uint64_t end =
            ranges[i].end_byte < instance->size_bytes ? ranges[i].end_byte : instance->size_bytes;
        if (ranges[i].first_byte < end) {
            poison_range(instance, ranges[i].first_byte, end);
        }
    }
}

static void poison_dead(uint32_t instruction, uint32_t context)
{
    uint64_t row;
    uint32_t set;

    if (!table) {
        open_table();
    }
    if (context >= table->context_count || instruction >= table->instruction_count) {
        give_up("the program came to a context that its trace does not have");
    }
    row = row_starts[context];
    if (row == LAXITY_POISON_NO_ROW || ends[instruction] == LAXITY_POISON_NOTHING) {
        return;
    }
    set = rows[row + ends[instruction]];
    for (uint64_t i = set_starts[set]; i < set_starts[set + 1]; i++) {
        uint32_t pattern = set_patterns[i], object = pattern_objects[pattern];
        int is_last = last_patterns[object] == pattern;
        for (uint32_t k = first_instances[object]; k != NO_INSTANCE; k = instances[k].next) {
            if (is_last && instances[k].pattern == pattern) {
                break; /* nothing has happened to the rest */
            }
            poison_instance(&instances[k], pattern);
        }
        last_patterns[object] = pattern;
    }
}

static int holds(uint32_t number, const char *address)
{
    return number < instance_count &&
           (uintptr_t)address - (uintptr_t)instances[number].address < instances[number].size_bytes;
}

static uint32_t find_instance(const char *address)
{
    uint32_t *known = &known_places[(uintptr_t)address / BLOCK_BYTES % KNOWN_PLACES];

    if (holds(*known, address)) {
        return *known;
    }
    for (uint32_t i = 0; i < instance_count; i++) {
        if (holds(i, address)) {
            *known = i;
            return i;
        }
    }
    return NO_INSTANCE;
}

/* It may hold something else than our garbage from now on. */
static void touch(const char *address, uint64_t size_bytes)
{
    uint32_t number = find_instance(address);
    struct instance *instance = &instances[number];
    uint64_t first, end;

    if (number == NO_INSTANCE || size_bytes == 0) {
        return;
    }
    first = (uint64_t)(address - instance->address);
    end = size_bytes < instance->size_bytes - first ? first + size_bytes : instance->size_bytes;
    for (uint64_t block = first / BLOCK_BYTES; block <= (end - 1) / BLOCK_BYTES; block++) {
        garbage_of(instance)[block / WORD_BLOCKS] &= ~(UINT64_C(1) << (block % WORD_BLOCKS));
    }
    if (instance->pattern != LAXITY_POISON_NOTHING) {
        instance->pattern = LAXITY_POISON_NOTHING;
        take_out(number);
        put_first(number);
    }
}

/* A frame that was left since the last end of a segment is where our own is now. */
void laxity_trace_segment(uint32_t instruction, uint32_t context)
{
    remove_left_frames(__builtin_frame_address(0));
    poison_dead(instruction, context);
    laxity_trace_step_device();
}

void laxity_trace_call(uint32_t instruction, uint32_t context)
{
    remove_left_frames(__builtin_frame_address(0));
    poison_dead(instruction, context);
    laxity_trace_step_device();
    laxity_trace_set_site((struct laxity_trace_site){.instruction = instruction, .context = context}
    );
}

void laxity_trace_alloca(
    uint32_t instruction, const void *address, uint64_t size_bytes, uint32_t is_constant
)
{
    (void)is_constant;
    add_instance(
        (uint64_t)LAXITY_TRACE_INSTRUCTION << 32 | instruction,
        address,
        size_bytes,
        __builtin_frame_address(0)
    );
}

void laxity_trace_birth(uint32_t kind, uint32_t index, const void *address, uint64_t size_bytes)
{
    add_instance(
        (uint64_t)kind << 32 | index,
        address,
        size_bytes,
        kind == LAXITY_TRACE_ARGUMENT ? __builtin_frame_address(0) : NULL
    );
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
    for (uint32_t i = 0; i < instance_count; i++) {
        if (instances[i].size_bytes && instances[i].address == address && !instances[i].frame) {
            remove_instance(i);
            return;
        }
    }
}

void laxity_trace_access(const void *address)
{
    touch(address, LARGEST_ACCESS_BYTES);
}

void laxity_trace_read(const void *address, uint64_t size_bytes)
{
    (void)address;
    (void)size_bytes;
}

void laxity_trace_write(const void *address, uint64_t size_bytes)
{
    touch(address, size_bytes);
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
    FILE *out = amount_path ? fopen(amount_path, "w") : NULL;

    if (out) {
        fprintf(out, "%llu\n", (unsigned long long)poisoned_bytes);
        fclose(out);
    }
}
