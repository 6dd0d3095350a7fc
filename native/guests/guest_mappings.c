/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_mappings.h"

#include "guests/fnv.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Without a stream, which would allocate. A line has at most a path of 4096 bytes. */
    BUFFER_BYTES = 16384,
    HEXADECIMAL = 16,
    FIELDS_BEFORE_NAME = 5,
};

/* Behind the next word of a line and the blanks after it. */
static const char *next_field(const char *at)
{
    at += strcspn(at, " ");
    return at + strspn(at, " ");
}

/* What neighbours with the same rights are together: a change that was undone leaves no trace. */
struct run {
    uintptr_t first;
    uintptr_t end;
    uint32_t rights; /* as four characters */
    char kind;       /* first of its name: '/' file, '[' heap or stack, '\0' none */
};

static struct run run_of_line(uintptr_t first, uintptr_t end, const char *line, const char *name)
{
    struct run run = {first, end, 0, *name};
    memcpy(&run.rights, next_field(line), sizeof run.rights);
    return run;
}

/* Heap and stacks grow, and the C library maps memory and guards as it pleases, also right after
 * the data of an object: there are only the rights that it never gives a result. */
static void end_run(struct laxity_guest_mappings *mappings, const struct run *run)
{
    const bool is_usual = memcmp(&run->rights, "rw-p", sizeof run->rights) == 0 ||
                          memcmp(&run->rights, "---p", sizeof run->rights) == 0;
    if (run->end == 0 || (run->kind == '\0' && is_usual)) {
        return;
    }
    if (run->kind != '[') {
        mappings->shape = laxity_fnv_add(mappings->shape, run->first);
        mappings->shape = laxity_fnv_add(mappings->shape, run->end);
    }
    mappings->shape = laxity_fnv_add(mappings->shape, run->rights);
}

static void
note_run(struct laxity_guest_mappings *mappings, struct run *last, const struct run *next)
{
    if (next->first == last->end && next->rights == last->rights && next->kind == last->kind) {
        last->end = next->end;
        return;
    }
    end_run(mappings, last);
    *last = *next;
}

/* "FIRST-END rw-p OFFSET DEVICE INODE NAME" (proc(5)): a name is a file's, the heap's, a stack's.
 */
static void note_line(
    struct laxity_guest_mappings *mappings, struct run *last, const char *line, uintptr_t frame
)
{
    char *rest = NULL;
    const uintptr_t first = (uintptr_t)strtoull(line, &rest, HEXADECIMAL);
    const uintptr_t end = *rest == '-' ? (uintptr_t)strtoull(rest + 1, NULL, HEXADECIMAL) : 0;
    const bool is_writable = strncmp(next_field(line), "rw", 2) == 0;
    const char *name = line;
    for (int field = 0; field < FIELDS_BEFORE_NAME; field++) {
        name = next_field(name);
    }
    const struct run run = run_of_line(first, end, line, name);
    note_run(mappings, last, &run);
    if (frame >= first && frame < end) {
        mappings->stack = (struct laxity_guest_mapping){first, end, 0};
    }
    if (end > first && is_writable && *name == '\0' && mappings->n < LAXITY_GUEST_MAPPINGS_MAX) {
        mappings->of[mappings->n++] = (struct laxity_guest_mapping){first, end, 0};
    }
}

/* Returns how many bytes at the end of the text are no whole line yet. */
static size_t note_lines(
    struct laxity_guest_mappings *mappings,
    struct run *last,
    char *text,
    size_t bytes,
    uintptr_t frame
)
{
    char *line = text;
    for (char *end = memchr(line, '\n', bytes); end;
         end = memchr(line, '\n', bytes - (size_t)(line - text))) {
        *end = '\0';
        note_line(mappings, last, line, frame);
        line = end + 1;
    }
    const size_t left = bytes - (size_t)(line - text);
    memmove(text, line, left);
    return left;
}

void laxity_guest_mappings_read(struct laxity_guest_mappings *out_mappings, uintptr_t frame)
{
    static char text[BUFFER_BYTES];
    size_t held = 0;
    out_mappings->stack = (struct laxity_guest_mapping){0, 0, 0};
    out_mappings->n = 0;
    out_mappings->n_found = 0;
    out_mappings->shape = LAXITY_FNV_BASIS;
    struct run last = {.end = 0};
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (;;) {
        const ssize_t n = fd < 0 ? 0 : read(fd, text + held, sizeof text - held);
        if (n <= 0) {
            break;
        }
        held = note_lines(out_mappings, &last, text, held + (size_t)n, frame);
    }
    end_run(out_mappings, &last);
    if (fd >= 0) {
        (void)close(fd);
    }
}

bool laxity_guest_mappings_find(
    struct laxity_guest_mappings *mappings,
    uintptr_t word,
    uint64_t *out_number,
    uint64_t *out_offset
)
{
    for (unsigned i = 0; i < mappings->n; i++) {
        struct laxity_guest_mapping *one = &mappings->of[i];
        if (word >= one->first && word < one->end) {
            one->number = one->number > 0 ? one->number : ++mappings->n_found;
            *out_number = one->number;
            *out_offset = word - one->first;
            return true;
        }
    }
    return false;
}
