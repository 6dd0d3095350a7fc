/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/leftovers.h"

#include "base/port/time.h"
#include "guests/attributes.h"
#include "guests/fnv.h"
#include "guests/guest_heap.h"
#include "guests/guest_mappings.h"
#include "guests/guest_random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    THREAD_ROUNDS = 10,
    THREAD_ROUND_NS = 5 * LAXITY_NS_PER_MS,
    DECIMAL = 10,
    HELD_MAX = 900, /* from there on they are the harness's own */
};

/* Calls `note` for each name that is a number. Returns how many there were, or -errno. */
static int each_number(
    const char *directory,
    void (*note)(struct laxity_belongings *, long),
    struct laxity_belongings *to
)
{
    DIR *open_directory = opendir(directory);
    if (!open_directory) {
        return -errno;
    }
    const int own = dirfd(open_directory);
    int n = 0;
    for (;;) {
        const struct dirent *entry = readdir(open_directory); /* NOLINT(concurrency-mt-unsafe) */
        if (!entry) {
            break;
        }
        char *rest = NULL;
        const long number = strtol(entry->d_name, &rest, DECIMAL);
        if (rest == entry->d_name || *rest != '\0') {
            continue;
        }
        if (!note) {
            n++;
        } else if (number != own) {
            n++;
            note(to, number);
        }
    }
    (void)closedir(open_directory);
    return n;
}

static void note_descriptor(struct laxity_belongings *to, long number)
{
    if (number < LAXITY_DESCRIPTORS_MAX) {
        to->is_open[number] = true;
    }
}

/* Standard streams are ours, and are put back by themselves. */
static bool is_standard(int fd)
{
    return fd <= STDERR_FILENO;
}

/*
 * Which file it is, how it was opened, and where the next byte is read or written. Entries of a
 * directory that was begun are in memory of the C library: its place is unknown.
 */
static uint64_t hash_descriptor(int fd)
{
    static uint64_t looks;
    struct stat status = {.st_ino = 0};
    uint64_t hash = laxity_fnv_add(LAXITY_FNV_BASIS, (uint64_t)fd);
    (void)fstat(fd, &status);
    hash = laxity_fnv_add(hash, (uint64_t)status.st_dev);
    hash = laxity_fnv_add(hash, (uint64_t)status.st_ino);
    hash = laxity_fnv_add(hash, (uint64_t)fcntl(fd, F_GETFL));
    hash = laxity_fnv_add(hash, (uint64_t)fcntl(fd, F_GETFD));
    if (is_standard(fd)) {
        return hash;
    }
    /* A stream that is rewound may read its buffer again: where the kernel is does not matter. */
    int64_t offset = 0;
    if (!laxity_guest_heap_stream_offset(fd, &offset)) {
        offset = lseek(fd, 0, SEEK_CUR);
    }
    if (S_ISDIR(status.st_mode) && offset != 0) {
        hash = laxity_fnv_add(hash, ++looks);
    }
    return laxity_fnv_add(hash, (uint64_t)offset);
}

static uint64_t hash_held(const struct laxity_belongings *now)
{
    uint64_t hash = LAXITY_FNV_BASIS;
    for (int fd = 0; fd < HELD_MAX; fd++) {
        hash = now->is_open[fd] ? laxity_fnv_add(hash, hash_descriptor(fd)) : hash;
    }
    return hash;
}

int laxity_belongings_look(struct laxity_belongings *out_belongings)
{
    static struct laxity_guest_mappings mappings;
    memset(out_belongings, 0, sizeof *out_belongings);
    laxity_attributes_look(&out_belongings->attributes, true);
    const int rc = each_number("/proc/self/fd", note_descriptor, out_belongings);
    if (rc < 0) {
        return rc;
    }
    for (int number = 1; number < LAXITY_SIGNALS_MAX; number++) {
        (void)sigaction(number, NULL, &out_belongings->actions[number]);
    }
    laxity_guest_mappings_read(&mappings, (uintptr_t)__builtin_frame_address(0));
    out_belongings->mappings = mappings.shape;
    out_belongings->held = hash_held(out_belongings);
    const int n_threads = each_number("/proc/self/task", NULL, NULL);
    out_belongings->n_threads = n_threads < 0 ? 0 : (unsigned)n_threads;
    return n_threads < 0 ? n_threads : 0;
}

/* Set by the C library in what it passes to the kernel, and shown by the kernel afterwards
 * (include/uapi/asm-generic/signal-defs.h). */
enum {
    SIGNAL_RESTORER = 0x04000000
};

/* The two signals that the C library keeps for itself cannot be asked for: they stay cleared. */
static bool is_alike(const struct sigaction *one, const struct sigaction *other)
{
    const unsigned differing = (unsigned)one->sa_flags ^ (unsigned)other->sa_flags;
    return one->sa_handler == other->sa_handler && (differing & ~(unsigned)SIGNAL_RESTORER) == 0;
}

static uint64_t
differing_answers(const struct laxity_belongings *before, const struct laxity_belongings *now)
{
    uint64_t bits = 0;
    for (unsigned number = 1; number < LAXITY_SIGNALS_MAX; number++) {
        if (!is_alike(&now->actions[number], &before->actions[number])) {
            bits |= UINT64_C(1) << (number - 1);
        }
    }
    return bits;
}

static uint32_t
differing_attributes(const struct laxity_belongings *before, const struct laxity_belongings *now)
{
    return laxity_attributes_differ(&before->attributes, &now->attributes) |
           (uint32_t)(before->held != now->held) << LAXITY_ATTRIBUTE_HELD |
           (uint32_t)(before->mappings != now->mappings) << LAXITY_ATTRIBUTE_MAPPINGS;
}

int laxity_leftovers_since(
    const struct laxity_belongings *before,
    const struct laxity_belongings *ready,
    bool may_be_before,
    struct laxity_leftovers *out_leftovers
)
{
    struct laxity_belongings now;
    int rc = laxity_belongings_look(&now);
    for (int round = 0; rc == 0 && now.n_threads > before->n_threads && round < THREAD_ROUNDS;
         round++) {
        laxity_pause_ns(THREAD_ROUND_NS);
        rc = laxity_belongings_look(&now);
    }
    const struct laxity_belongings *wanted = ready ? ready : before;
    struct laxity_leftovers found = {
        .handlers = differing_answers(wanted, &now),
        .attributes = differing_attributes(wanted, &now),
    };
    if (may_be_before) {
        found.handlers &= differing_answers(before, &now);
        found.attributes &= differing_attributes(before, &now);
    }
    found.attributes |= (uint32_t)laxity_guest_random_is_stale() << LAXITY_ATTRIBUTE_RANDOM;
    if (rc) {
        *out_leftovers = (struct laxity_leftovers){.attributes = found.attributes};
        return rc;
    }
    for (unsigned fd = 0; fd < LAXITY_DESCRIPTORS_MAX; fd++) {
        found.n_descriptors += now.is_open[fd] && !before->is_open[fd];
    }
    if (now.n_threads > before->n_threads) {
        found.n_threads = now.n_threads - before->n_threads;
    }
    *out_leftovers = found;
    return 0;
}

/* For kernels before 5.9. */
static int close_listed(const struct laxity_belongings *before)
{
    struct laxity_belongings now;
    memset(&now, 0, sizeof now);
    const int rc = each_number("/proc/self/fd", note_descriptor, &now);
    for (int fd = 0; fd < LAXITY_DESCRIPTORS_MAX; fd++) {
        if (now.is_open[fd] && !before->is_open[fd]) {
            (void)close(fd);
        }
    }
    return rc < 0 ? rc : 0;
}

/* The gaps between those that stay: two or three calls, where listing and closing are a dozen. */
int laxity_leftovers_close(const struct laxity_belongings *before)
{
    int rc = 0;
    int first = 0;
    for (int fd = 0; fd <= LAXITY_DESCRIPTORS_MAX; fd++) {
        if (fd < LAXITY_DESCRIPTORS_MAX && !before->is_open[fd]) {
            continue;
        }
        if (fd > first && rc == 0) {
            rc = close_range((unsigned)first, (unsigned)fd - 1, 0);
        }
        first = fd + 1;
    }
    return rc == 0 ? 0 : close_listed(before);
}

void laxity_leftovers_answer_again(const struct laxity_belongings *before)
{
    for (int number = 1; number < LAXITY_SIGNALS_MAX; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 && !is_alike(&now, &before->actions[number])) {
            (void)sigaction(number, &before->actions[number], NULL);
        }
    }
}
