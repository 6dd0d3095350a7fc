/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/*
 * What our BPF programs know of the kernel, by hand instead of a generated vmlinux.h.
 *
 * Structures list the fields that are read, in any order: the loader moves every access to where
 * the running kernel has the field (preserve_access_index). For BPF programs only.
 */
#ifndef LAXITY_TRACE_BPF_KERNEL_H
#define LAXITY_TRACE_BPF_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* The names that libbpf's headers use. */
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int16_t __s16;
typedef int32_t __s32;
typedef int64_t __s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* Of linux/bpf.h, whose own includes are those of a host. */
enum {
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_RINGBUF = 27,
    BPF_F_MMAPABLE = 1U << 10,
    BPF_RB_NO_WAKEUP = 1U << 0,
};

struct task_struct {
    int32_t pid;      /* the thread */
    int32_t tgid;     /* its process */
    int32_t wake_cpu; /* it is to run there; on machines of several CPUs */
} __attribute__((preserve_access_index));

#endif
