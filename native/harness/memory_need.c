/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/memory_need.h"

#include "base/error.h"
#include "base/memory_account.h"
#include "base/port/allocator.h"
#include "base/port/memory_calls.h"
#include "harness/need_watch.h"
#include "harness/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Address space for the sizes of 8 million blocks; what is not used is no memory. */
#define SIZES_BYTES_MAX ((size_t)1 << (sizeof(size_t) > 4 ? 29 : 25))
#define SIZES_BYTES_MIN ((size_t)1 << 20)

enum {
    FRAMES_BYTES = 1024, /* of drop_dead_stack and of madvise, with room for any compiler */
};

/* To the watcher; the workload's own code ends before it. */
static int own_socket = -1;

static int refuse(struct laxity_task *task, const char *what, int error_number)
{
    return laxity_refuse(
        &task->state.process.error,
        LAXITY_EXIT_LACKING,
        "task \"%s\": cannot measure its memory need: %s: %s",
        task->config.process.name,
        what,
        strerrordesc_np(error_number)
    );
}

static int ask(enum laxity_need_word word, int passed_fd, struct laxity_need_answer *out_answer)
{
    unsigned char byte = (unsigned char)word;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {&byte, sizeof byte};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (passed_fd >= 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof passed_fd);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        memcpy(CMSG_DATA(&control.header), &passed_fd, sizeof passed_fd);
    }
    ssize_t n = sendmsg(own_socket, &message, MSG_NOSIGNAL);
    if (n == 1) {
        do {
            n = recv(own_socket, out_answer, sizeof *out_answer, 0);
        } while (n < 0 && errno == EINTR);
    }
    return n == sizeof *out_answer ? out_answer->error : -EPIPE;
}

/* Shared, so that it is told from what the workload maps; it counts for nobody. */
static void *map_sizes(size_t *out_bytes)
{
    for (size_t bytes = SIZES_BYTES_MAX; bytes >= SIZES_BYTES_MIN; bytes /= 2) {
        void *memory = mmap(
            NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
        );
        if (memory != MAP_FAILED) {
            *out_bytes = bytes;
            return memory;
        }
    }
    return NULL;
}

/* A child without a signal at its end: a workload that waits for its own children does not see it.
 */
static int start_watcher(struct laxity_task *task)
{
    int sockets[2];
    struct laxity_need_files files = {
        .process = getpid(),
        .maps_fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC),
        .pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC),
    };
    if (files.maps_fd < 0 || files.pagemap_fd < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        return -errno;
    }
    files.socket_fd = sockets[1];
    const long pid = syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL);
    if (pid == 0) {
        laxity_need_watch(&files, &task->state.need);
    }
    own_socket = sockets[0];
    (void)close(sockets[1]);
    (void)close(files.maps_fd);
    (void)close(files.pagemap_fd);
    return pid < 0 ? -errno : 0;
}

/* Pages that calls before this one have left below our frame would be the workload's without its
 * doing; only what the call in here needs stays. */
__attribute__((noinline)) static void drop_dead_stack(uint64_t stack_begin)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t end = (frame - FRAMES_BYTES) / page * page;
    if (stack_begin != 0 && stack_begin < end) {
        (void)madvise(
            (void *)(uintptr_t)stack_begin, /* NOLINT(performance-no-int-to-ptr) */
            end - (uintptr_t)stack_begin,
            MADV_DONTNEED
        );
    }
}

int laxity_memory_need_begin(struct laxity_task *task)
{
    const uint64_t limit_bytes = task->config.memory_limit_bytes;
    struct laxity_memory_account *account = &task->state.memory;
    struct laxity_need_answer answer = {0};
    size_t sizes_bytes = 0;
    account->limit_bytes = LAXITY_MEMORY_UNLIMITED;
    if (limit_bytes != 0 && limit_bytes < LAXITY_MEMORY_UNLIMITED) {
        account->limit_bytes = (size_t)limit_bytes;
    }
    (void)prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
    (void)malloc_trim(0);
    void *sizes = map_sizes(&sizes_bytes);
    if (!sizes) {
        return refuse(task, "mmap", ENOMEM);
    }
    int rc = start_watcher(task);
    if (rc) {
        return refuse(task, "its watcher", -rc);
    }
    int listener = -1;
    rc = laxity_memory_calls_watch(&listener);
    if (rc) {
        return refuse(task, "seccomp (it needs Linux 5.5)", -rc);
    }
    rc = ask(LAXITY_NEED_LISTEN, listener, &answer);
    (void)close(listener);
    if (rc) {
        return refuse(task, "its watcher", -rc);
    }
    rc = laxity_allocator_measure(account, sizes, sizes_bytes);
    if (rc) {
        return refuse(task, "a sanitizer or debugger has its own allocator", -rc);
    }
    drop_dead_stack(answer.stack_begin);
    rc = ask(LAXITY_NEED_BEGIN, -1, &answer);
    return rc ? refuse(task, "its watcher", -rc) : 0;
}

void laxity_memory_need_end(void)
{
    struct laxity_need_answer answer = {0};
    (void)ask(LAXITY_NEED_END, -1, &answer);
    (void)laxity_allocator_count(NULL, NULL);
}
