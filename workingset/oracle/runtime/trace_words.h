/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/*
 * Trace of an instrumented program: words of 64 bits in the machine's byte order, a tag above a
 * payload.
 *
 * It is read in both directions, so every word says by itself what it is. A segment is a run of
 * instructions without a call; its words are the addresses of its loads, stores and allocas in
 * their order, and the word that ends it: which instruction is about to be executed (a terminator
 * or a call), in which context. So one word per access and one per segment are enough, and the
 * instructions in between are known from the module. What a call does by itself follows as ranges.
 */
#ifndef LAXITY_WORKINGSET_TRACE_WORDS_H
#define LAXITY_WORKINGSET_TRACE_WORDS_H

#include <stdint.h>

enum laxity_trace_tag {   /* NOLINT(performance-enum-size): C has no other size */
    LAXITY_TRACE_ADDRESS, /* payload: address of the segment's next load, store or alloca */
    LAXITY_TRACE_SEGMENT, /* payload: instruction << 32 | context */
    LAXITY_TRACE_SIZE,    /* payload: bytes, of the word that follows */
    LAXITY_TRACE_READ,    /* SIZE, READ: a call reads [address, address + bytes) */
    LAXITY_TRACE_WRITE,   /* SIZE, WRITE */
    LAXITY_TRACE_FORGET,  /* SIZE, FORGET: the content is undefined from here on (lifetime markers,
                             free) */
    LAXITY_TRACE_OBJECT,  /* payload: enum laxity_trace_object << 32 | index */
    LAXITY_TRACE_BIRTH,   /* OBJECT, SIZE, BIRTH: a run-time instance of the object lies at the
                             address */
    LAXITY_TRACE_SITE,    /* payload: instruction of the call, or LAXITY_TRACE_NO_SITE */
    LAXITY_TRACE_CONTEXT, /* SITE, CONTEXT; payload: function << 32 | parent. The n-th such pair
                             defines context n, from 1 */
    LAXITY_TRACE_RECURSION, /* SITE, RECURSION; payload: context << 32 | parent. The call from the
                               parent enters that context again */
    LAXITY_TRACE_COUNT, /* COUNT, SEGMENT: the segment was executed so often. In a trace of counts,
                           which has no accesses */
    LAXITY_TRACE_END,   /* payload: number of words before it; a trace without it is incomplete */
    LAXITY_TRACE_TAGS,
};

enum laxity_trace_object {    /* NOLINT(performance-enum-size): as above */
    LAXITY_TRACE_GLOBAL,      /* index: position among the module's global variables */
    LAXITY_TRACE_INSTRUCTION, /* index: instruction, an alloca or the call of an allocator */
    LAXITY_TRACE_ARGUMENT, /* index: position among the by-value arguments of all defined functions
                            */
};

/* Addresses of user space have 47 bits on x86-64 and 48 or 52 on others; the tag takes the four
 * above 60. */
#define LAXITY_TRACE_TAG_SHIFT 60
#define LAXITY_TRACE_PAYLOAD ((UINT64_C(1) << LAXITY_TRACE_TAG_SHIFT) - 1)

/* Instructions and functions have 28 bits in a word. */
#define LAXITY_TRACE_NO_SITE ((UINT32_C(1) << 28) - 1)

#endif
