/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/memory_calls.h"

#include "base/page_ranges.h"

#include <errno.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* Linux 5.19 */
#endif

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* Linux 5.18 */
#endif

/* Not madvise's MADV_FREE: the pages are the process's until the kernel takes them. */
static const unsigned watched[] = {
#ifdef SYS_mmap2
    SYS_mmap2,
#else
    SYS_mmap,
#endif
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
#ifdef SYS_shmat
    SYS_shmat,
    SYS_shmdt,
#endif
};

enum {
    WATCHED = sizeof watched / sizeof watched[0]
};

int laxity_memory_calls_watch(int *out_listener)
{
    struct sock_filter code[WATCHED + 3];
    unsigned n = 0;
    code[n++] = (struct sock_filter
    )BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < WATCHED; i++) {
        /* To the last instruction, behind the other comparisons and the one that allows. */
        const unsigned char behind = (unsigned char)(WATCHED - i);
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, watched[i], behind, 0);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    const struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0) {
        return -errno;
    }
    /* With the second flag no signal makes a waiting call fail with EINTR, which these never do. */
    const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
    long fd = syscall(
        SYS_seccomp,
        SECCOMP_SET_MODE_FILTER,
        flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        &program
    );
    if (fd < 0 && errno == EINVAL) {
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    }
    if (fd < 0) {
        return -errno;
    }
    *out_listener = (int)fd;
    return 0;
}

static void add_released(struct laxity_memory_call *call, uint64_t begin, uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t whole_bytes = (bytes + page - 1) / page * page;
    /* Else the kernel refuses it. */
    if (begin % page == 0 && bytes > 0 && whole_bytes >= bytes && begin + whole_bytes > begin) {
        call->released[call->n_released++] =
            (struct laxity_range){(uintptr_t)begin, (uintptr_t)(begin + whole_bytes)};
    }
}

static void read_remap(const __u64 *words, struct laxity_memory_call *call)
{
    const uint64_t old = words[0];
    const uint64_t old_bytes = words[1];
    const uint64_t new_bytes = words[2];
    if (new_bytes < old_bytes) {
        add_released(call, old + new_bytes, old_bytes - new_bytes);
    }
    if ((words[3] & MREMAP_FIXED) != 0) {
        add_released(call, words[4], new_bytes);
    }
}

static void read_call(unsigned number, const __u64 *words, struct laxity_memory_call *call)
{
    switch (number) {
#ifdef SYS_mmap2
    case SYS_mmap2:
#else
    case SYS_mmap:
#endif
        if ((words[3] & MAP_FIXED) != 0) {
            add_released(call, words[0], words[1]);
        }
        return;
    case SYS_munmap:
        add_released(call, words[0], words[1]);
        return;
    case SYS_mremap:
        read_remap(words, call);
        return;
    case SYS_madvise:
        if (words[2] == MADV_DONTNEED || words[2] == MADV_DONTNEED_LOCKED ||
            words[2] == MADV_REMOVE) {
            add_released(call, words[0], words[1]);
        }
        return;
    case SYS_brk:
        call->new_break = words[0];
        return;
#ifdef SYS_shmdt
    case SYS_shmdt:
        call->detached = words[0];
        return;
#endif
    default:
        return;
    }
}

int laxity_memory_calls_next(int listener, struct laxity_memory_call *out_call)
{
    struct seccomp_notif seen = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &seen) != 0) {
        return -errno;
    }
    *out_call = (struct laxity_memory_call){.id = seen.id, .tid = (int32_t)seen.pid};
    read_call((unsigned)seen.data.nr, seen.data.args, out_call);
    return 0;
}

void laxity_memory_calls_let_go(int listener, const struct laxity_memory_call *call)
{
    struct seccomp_notif_resp answer = {.id = call->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
