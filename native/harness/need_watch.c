/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/need_watch.h"

#include "base/error.h"
#include "base/page_ranges.h"
#include "base/port/memory_calls.h"
#include "base/port/page_scan.h"
#include "harness/segment.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    MAPPINGS_MAX = 65536, /* the kernel's default limit (vm.max_map_count) is 65530 */
    FILE_MAPPINGS_MAX = 4096,
    TEXT_BYTES = 64 * 1024,
    PATH_BYTES = 64,
    FIRST_OTHER_FD = 3,
    FDS_CLOSED_ONE_BY_ONE = 1024,
};

/* One line of /proc/PID/maps. */
struct mapping {
    uintptr_t begin;
    uintptr_t end;
    bool is_accessible; /* else it is address space that is kept free, and no memory */
    bool is_writable;
    bool is_shared;
    bool is_file;
    bool is_stack;
    bool is_break;
};

/* Bytes, at one moment. */
struct look {
    uint64_t mapped; /* without the stack */
    uint64_t stack;  /* from its lowest page that is there: the rest is what exec laid out */
    uint64_t touched;
    uint64_t written;
};

/* In memory of its own, which is mapped for it: its heap and its stack are copies of the task's. */
struct watch {
    const struct laxity_need_files *files;
    struct laxity_memory_need *out;
    struct laxity_page_scan scan;
    int listener; /* -1 = not yet given */
    bool is_begun;
    bool is_ended;
    bool is_unwatched_seen; /* pages of which nobody knows whether they were written */
    int error;
    struct laxity_ranges loaded; /* files that were mapped before: their pages are code */
    struct look begin;
    struct look last; /* mapped and stack alone */
    uint64_t added_mapped;
    uint64_t released_touched;
    uint64_t released_written;
    uint64_t stack_begin;
    size_t n_mappings;
    struct mapping mappings[MAPPINGS_MAX];
    struct laxity_range loaded_items[FILE_MAPPINGS_MAX];
    char text[TEXT_BYTES];
};

/* "BEGIN-END rwxp OFFSET DEVICE INODE   NAME" */
static void read_line(struct watch *watch, char *line)
{
    char *at = line;
    struct mapping one = {.begin = (uintptr_t)strtoull(at, &at, 16)};
    if (*at != '-' || watch->n_mappings == MAPPINGS_MAX) {
        watch->error = -E2BIG;
        return;
    }
    one.end = (uintptr_t)strtoull(at + 1, &at, 16);
    if (strlen(at) < sizeof " rwxp 0 0:0 0") {
        watch->error = -EINVAL;
        return;
    }
    const char *rights = at + 1;
    one.is_accessible = strncmp(rights, "---", 3) != 0;
    one.is_writable = rights[1] == 'w';
    one.is_shared = rights[3] == 's';
    const char *word = rights;
    for (unsigned i = 0; i < 3 && word; i++) { /* to the inode */
        word = strchr(word + 1, ' ');
    }
    one.is_file = word && strtoull(word, NULL, 10) != 0;
    const char *name = one.is_file ? NULL : strchr(line, '[');
    one.is_stack = name && strcmp(name, "[stack]") == 0;
    one.is_break = name && strcmp(name, "[heap]") == 0;
    if (!name || strncmp(name, "[v", 2) != 0) { /* [vdso], [vvar]: the kernel's */
        watch->mappings[watch->n_mappings++] = one;
    }
}

static void read_mappings(struct watch *watch)
{
    size_t held = 0; /* of a line whose end has not been read */
    watch->n_mappings = 0;
    (void)lseek(watch->files->maps_fd, 0, SEEK_SET);
    for (;;) {
        const ssize_t n =
            read(watch->files->maps_fd, watch->text + held, sizeof watch->text - held - 1);
        if (n <= 0) {
            watch->error = n < 0 ? -errno : watch->error;
            return;
        }
        char *line = watch->text;
        const char *end = watch->text + held + n;
        for (char *stop = NULL; (stop = memchr(line, '\n', (size_t)(end - line)));
             line = stop + 1) {
            *stop = '\0';
            read_line(watch, line);
        }
        held = (size_t)(end - line);
        memmove(watch->text, line, held);
    }
}

/* Code and constants are mapped with the program, and which of their pages are there depends on
 * what the kernel fetched beside those that were wanted. */
static bool is_loaded(const struct watch *watch, const struct mapping *mapping)
{
    const struct laxity_range range = {mapping->begin, mapping->end};
    return mapping->is_file && laxity_ranges_covered(&watch->loaded, range) > 0;
}

/* Adds the pages of [begin, end), which is in one mapping. Returns the first one that is there. */
static uint64_t add_pages(
    struct watch *watch, const struct mapping *mapping, struct laxity_range range, struct look *look
)
{
    struct laxity_page_counts counts = {0};
    const int rc = laxity_page_scan_count(&watch->scan, range.begin, range.end, &counts);
    if (rc) {
        watch->error = rc;
    }
    const uint64_t page = watch->scan.page_bytes;
    look->touched += counts.private_pages * page;
    look->written += counts.private_written_pages * page;
    if (!is_loaded(watch, mapping)) {
        look->touched += counts.file_pages * page;
        look->written += counts.file_written_pages * page;
        watch->is_unwatched_seen |= mapping->is_writable && counts.unwatched_pages > 0;
    }
    return counts.first;
}

static void
add_mapping(struct watch *watch, const struct mapping *mapping, bool has_pages, struct look *look)
{
    const struct laxity_range all = {mapping->begin, mapping->end};
    struct look unused = {0};
    if (mapping->is_stack) {
        const uint64_t first = add_pages(watch, mapping, all, has_pages ? look : &unused);
        watch->stack_begin = mapping->begin;
        look->stack += first == 0 ? 0 : mapping->end - first;
        return;
    }
    look->mapped += mapping->is_accessible ? mapping->end - mapping->begin : 0;
    if (has_pages) {
        (void)add_pages(watch, mapping, all, look);
    }
}

static struct look look_at_all(struct watch *watch, bool has_pages)
{
    struct look look = {0};
    read_mappings(watch);
    for (size_t i = 0; i < watch->n_mappings; i++) {
        add_mapping(watch, &watch->mappings[i], has_pages, &look);
    }
    return look;
}

/* What the call will give back, of mappings that were read just now. */
static void add_released(struct watch *watch, struct laxity_range range)
{
    struct look look = {0};
    for (size_t i = 0; i < watch->n_mappings; i++) {
        const struct mapping *mapping = &watch->mappings[i];
        const struct laxity_range part = {
            range.begin > mapping->begin ? range.begin : mapping->begin,
            range.end < mapping->end ? range.end : mapping->end,
        };
        if (part.begin < part.end) {
            (void)add_pages(watch, mapping, part, &look);
        }
    }
    watch->released_touched += look.touched;
    watch->released_written += look.written;
}

/* The ends that only the mappings tell. */
static void complete_call(const struct watch *watch, struct laxity_memory_call *call)
{
    const uint64_t page = watch->scan.page_bytes;
    for (size_t i = 0; i < watch->n_mappings; i++) {
        const struct mapping *mapping = &watch->mappings[i];
        struct laxity_range range = {mapping->begin, mapping->end};
        if (call->new_break != 0 && mapping->is_break) {
            const uintptr_t from = (uintptr_t)((call->new_break + page - 1) / page * page);
            range.begin = from > range.begin ? from : range.begin;
        } else if (call->detached == 0 || call->detached != mapping->begin) {
            continue;
        }
        if (range.begin < range.end && call->n_released < LAXITY_MEMORY_CALL_RANGES) {
            call->released[call->n_released++] = range;
        }
    }
}

static void raise_peak(struct laxity_need *need, uint64_t now, uint64_t begin)
{
    const uint64_t beyond = now > begin ? now - begin : 0;
    need->peak_bytes = beyond > need->peak_bytes ? beyond : need->peak_bytes;
}

static void note(struct watch *watch, const struct look *now, bool has_pages)
{
    const struct look *begin = &watch->begin;
    struct look *last = &watch->last;
    watch->added_mapped += now->mapped > last->mapped ? now->mapped - last->mapped : 0;
    watch->added_mapped += now->stack > last->stack ? now->stack - last->stack : 0;
    *last = *now;
    if (now->stack > begin->stack + watch->out->stack_bytes) {
        watch->out->stack_bytes = now->stack - begin->stack;
    }
    raise_peak(&watch->out->mapped, now->mapped + now->stack, begin->mapped + begin->stack);
    if (has_pages) {
        raise_peak(&watch->out->touched, now->touched, begin->touched);
        raise_peak(&watch->out->written, now->written, begin->written);
    }
}

static uint64_t static_bytes(const struct watch *watch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < watch->n_mappings; i++) {
        const struct mapping *one = &watch->mappings[i];
        const bool is_static = one->is_writable && !one->is_shared && !one->is_stack;
        bytes += is_static ? one->end - one->begin : 0;
    }
    return bytes;
}

static void begin(struct watch *watch)
{
    read_mappings(watch);
    for (size_t i = 0; i < watch->n_mappings; i++) {
        const struct mapping *one = &watch->mappings[i];
        if (one->is_file && watch->loaded.n + 1 < watch->loaded.room) {
            (void)laxity_ranges_add(&watch->loaded, (struct laxity_range){one->begin, one->end});
        }
    }
    watch->begin = look_at_all(watch, true);
    watch->last = watch->begin;
    watch->out->static_bytes = static_bytes(watch);
    watch->is_unwatched_seen = false;
    watch->is_begun = true;
}

static uint64_t beyond(uint64_t released, uint64_t now, uint64_t begin)
{
    return released + now > begin ? released + now - begin : 0;
}

static void end(struct watch *watch)
{
    struct laxity_memory_need *out = watch->out;
    const struct look now = look_at_all(watch, true);
    note(watch, &now, true);
    out->mapped.total_bytes = watch->added_mapped;
    out->touched.total_bytes = beyond(watch->released_touched, now.touched, watch->begin.touched);
    out->written.total_bytes = beyond(watch->released_written, now.written, watch->begin.written);
    out->method = watch->scan.method;
    out->is_written_known =
        watch->scan.method == LAXITY_PAGE_SCAN_IOCTL && !watch->is_unwatched_seen;
    watch->is_ended = true;
    atomic_store_explicit(&out->is_measured, watch->error == 0, memory_order_release);
}

/* A child that the workload has forked has memory of its own. */
static bool is_of_task(const struct watch *watch, int32_t tid)
{
    char path[PATH_BYTES];
    laxity_format(path, sizeof path, "/proc/%d/task/%d", (int)watch->files->process, (int)tid);
    return tid == watch->files->process || access(path, F_OK) == 0;
}

static void look_before(struct watch *watch, struct laxity_memory_call *call)
{
    const bool may_release = call->n_released > 0 || call->new_break != 0 || call->detached != 0;
    const struct look now = look_at_all(watch, may_release);
    note(watch, &now, may_release);
    complete_call(watch, call);
    for (unsigned i = 0; i < call->n_released; i++) {
        add_released(watch, call->released[i]);
    }
    watch->out->calls++;
}

static void serve_call(struct watch *watch)
{
    struct laxity_memory_call call;
    if (laxity_memory_calls_next(watch->listener, &call) != 0) {
        return; /* its thread has died in the meantime */
    }
    if (watch->is_begun && !watch->is_ended && is_of_task(watch, call.tid)) {
        look_before(watch, &call);
    }
    laxity_memory_calls_let_go(watch->listener, &call);
}

/* The listener comes beside the word. Returns whether anybody is there to answer. */
static bool serve_word(struct watch *watch)
{
    unsigned char word = 0;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&word, sizeof word};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    if (recvmsg(watch->files->socket_fd, &message, MSG_CMSG_CLOEXEC) != 1) {
        return false;
    }
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) {
        memcpy(&watch->listener, CMSG_DATA(header), sizeof watch->listener);
    }
    if (word == LAXITY_NEED_LISTEN) {
        (void)look_at_all(watch, false);
    } else if (word == LAXITY_NEED_BEGIN) {
        begin(watch);
    } else {
        end(watch);
    }
    const struct laxity_need_answer answer = {watch->error, watch->stack_begin};
    return send(watch->files->socket_fd, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

/* Files that the task has open are not ours to keep open: others wait for their end. */
static void keep_only(struct laxity_need_files *files)
{
    files->maps_fd = dup2(files->maps_fd, STDIN_FILENO);
    files->pagemap_fd = dup2(files->pagemap_fd, STDOUT_FILENO);
    files->socket_fd = dup2(files->socket_fd, STDERR_FILENO);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST_OTHER_FD, ~0U, 0) == 0) {
        return;
    }
#endif
    for (int fd = FIRST_OTHER_FD; fd < FDS_CLOSED_ONE_BY_ONE; fd++) {
        (void)close(fd);
    }
}

static void serve(struct watch *watch)
{
    bool is_alone = false; /* the task has closed its socket */
    for (;;) {
        struct pollfd files[] = {
            {.fd = watch->listener, .events = POLLIN},
            {.fd = is_alone ? -1 : watch->files->socket_fd, .events = POLLIN},
        };
        if (poll(files, 2, -1) < 0) {
            continue; /* a signal that is the task's */
        }
        if ((files[0].revents & POLLIN) != 0) {
            serve_call(watch);
        } else if ((files[0].revents & POLLHUP) != 0) {
            return;
        }
        if (files[1].revents != 0 && !serve_word(watch)) {
            is_alone = true;
        }
        if (is_alone && watch->listener < 0) {
            return;
        }
    }
}

_Noreturn void
laxity_need_watch(const struct laxity_need_files *files, struct laxity_memory_need *out_need)
{
    struct laxity_need_files own = *files;
    (void)prctl(PR_SET_NAME, "laxity-need");
    keep_only(&own);
    struct watch *watch =
        mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (watch == MAP_FAILED) {
        _exit(LAXITY_EXIT_LACKING); /* the task sees the end of its socket */
    }
    watch->files = &own;
    watch->out = out_need;
    watch->listener = -1;
    watch->loaded = (struct laxity_ranges){.items = watch->loaded_items, .room = FILE_MAPPINGS_MAX};
    laxity_page_scan_open(own.pagemap_fd, &watch->scan);
    serve(watch);
    _exit(0);
}
