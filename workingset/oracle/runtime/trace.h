/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* What instrumented code and the wrappers of external functions call. The program has one thread.
 */
#ifndef LAXITY_WORKINGSET_TRACE_H
#define LAXITY_WORKINGSET_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* Called by instrumented code; the context is what laxity_trace_enter returned to the function. */
void laxity_trace_access(const void *address);
void laxity_trace_alloca(
    uint32_t instruction, const void *address, uint64_t size_bytes, uint32_t is_constant
);
void laxity_trace_segment(uint32_t instruction, uint32_t context);
void laxity_trace_call(uint32_t instruction, uint32_t context);
uint32_t laxity_trace_enter(uint32_t function);
void laxity_trace_birth(uint32_t kind, uint32_t index, const void *address, uint64_t size_bytes);

/* What a call does by itself; nothing is written for 0 bytes. */
void laxity_trace_read(const void *address, uint64_t size_bytes);
void laxity_trace_write(const void *address, uint64_t size_bytes);
void laxity_trace_forget(const void *address, uint64_t size_bytes);

/* A new heap object of the call that is running. */
void laxity_trace_allocate(const void *address, uint64_t size_bytes);

/* The call that is running; a wrapper that calls back puts it in place again before each callback.
 */
struct laxity_trace_site {
    uint32_t instruction;
    uint32_t context;
};
struct laxity_trace_site laxity_trace_current_site(void);
void laxity_trace_set_site(struct laxity_trace_site site);

/* contexts.c tells of each new node, which count from 1, and of each new way into one that is being
 * executed already. */
void laxity_trace_new_context(uint32_t parent, uint32_t site, uint32_t function);
void laxity_trace_recursion(uint32_t context, uint32_t parent, uint32_t site);

/*
 * A device, if one is linked with the program: what it does between two segments. It is compiled as
 * it is, and tells by laxity_trace_read() and laxity_trace_write() what of the program's memory it
 * reads and writes.
 */
void laxity_device_step(void) __attribute__((weak));

static inline void laxity_trace_step_device(void)
{
    if (laxity_device_step) {
        laxity_device_step();
    }
}

/* Functions registered by atexit() run, and the trace ends. For exit() and the end of main. */
void laxity_trace_run_exit_functions(void);
void laxity_trace_end_with_program(void);
void laxity_trace_finish(void);

#endif
