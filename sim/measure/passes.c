/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the probes' loops access, executed on a simulated platform. */
#include "base/error.h"
#include "base/port/pages.h"
#include "codegen/code.h"
#include "codegen/isa.h"
#include "codegen/shape.h"
#include "interface/builtin.h"
#include "measure/simulated.h"
#include "probes/crpd_patterns.h"
#include "probes/evict.h"
#include "probes/memory_patterns.h"
#include "probes/memory_regions.h"
#include "probes/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    STREAM_STEP_BYTES = 64,
    WORD_BYTES = 4,
    /* Links lie at multiples of it (memory_line_min_bytes). */
    LINK_STEP_BYTES = 16,
    EVICT_STEP_BYTES = 32,
};

/* Beyond what laxity_simulated_map() gives. */
#define EVICT_ADDRESS (UINT64_C(1) << 46)
#define CODE_ADDRESS (UINT64_C(1) << 47)

size_t laxity_crpd_line_bytes(void)
{
    const uint32_t line_bytes = laxity_simulated_line_bytes();
    if (line_bytes < LAXITY_SHORTEST_LINE_BYTES) {
        laxity_simulated_refuse("lines of less than 16 bytes are not measured; use longer ones");
    }
    return line_bytes < LAXITY_LONGEST_LINE_BYTES ? line_bytes : LAXITY_LONGEST_LINE_BYTES;
}

/* As far apart as the native loops go, and no line is left out. */
static uint64_t step_of(uint64_t bytes)
{
    return bytes < laxity_crpd_line_bytes() ? bytes : laxity_crpd_line_bytes();
}

struct laxity_sim_loop laxity_simulated_walk(uint64_t address, size_t bytes)
{
    const uint64_t step_bytes = step_of(LAXITY_CRPD_STEP_BYTES);
    return (struct laxity_sim_loop){
        .body = LAXITY_SIM_WALK,
        .n = (bytes - 1 + step_bytes - 1) / step_bytes,
        .address = address,
        .step_bytes = step_bytes,
    };
}

void laxity_crpd_walk(volatile unsigned char *working_set, const size_t bytes)
{
    const struct laxity_sim_loop loop =
        laxity_simulated_walk(laxity_simulated_address(working_set), bytes);
    laxity_simulated_act(&loop, 1);
}

static uint32_t *new_order(size_t n)
{
    uint32_t *order = calloc(n + 1, sizeof *order);
    if (!order) {
        laxity_simulated_refuse("no memory for the order of a chain; lower --size");
    }
    return order;
}

void laxity_crpd_chase(unsigned char *working_set)
{
    const struct laxity_crpd_line *const first = laxity_crpd_line(working_set, 0);
    size_t n = 0;
    for (const struct laxity_crpd_line *line = first; n == 0 || line != first; line = line->next) {
        n++;
    }
    uint32_t *order = new_order(n);
    const struct laxity_crpd_line *line = first;
    for (size_t i = 0; i < n; i++) {
        const size_t offset = (size_t)((const unsigned char *)line - working_set);
        order[i] = (uint32_t)(offset / laxity_crpd_line_bytes());
        line = line->next;
    }
    const struct laxity_sim_loop loop = {
        .body = LAXITY_SIM_CHASE,
        .n = n,
        .address = laxity_simulated_address(working_set),
        .step_bytes = laxity_crpd_line_bytes(),
        .order = order,
    };
    laxity_simulated_act(&loop, 1);
    free(order);
}

/* What generated code executes is its shape; its memory here only gives it a place. */
struct made_code {
    struct laxity_shape shape;
    const unsigned char *start;
};

enum {
    CODES_MAX = 8
};

static struct made_code codes[CODES_MAX];

/* Nobody runs it here, so there is code for any processor. */
const struct laxity_isa *laxity_isa_host(void)
{
    static const struct laxity_isa any = {.name = "simulated"};
    return &any;
}

int laxity_code_make(
    const struct laxity_shape *shape,
    size_t copies,
    struct laxity_code *out_code,
    struct laxity_error *error
)
{
    for (size_t i = 0; i < CODES_MAX; i++) {
        if (codes[i].start) {
            continue;
        }
        out_code->bytes = shape->bytes * copies;
        out_code->start = calloc(out_code->bytes, 1);
        codes[i] = (struct made_code){*shape, out_code->start};
        return out_code->start ? 0
                               : laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for code");
    }
    return laxity_refuse(error, LAXITY_EXIT_INTERNAL, "too many codes");
}

uintptr_t laxity_code_run(const struct laxity_code *code, size_t offset, uintptr_t value)
{
    for (size_t i = 0; i < CODES_MAX; i++) {
        if (codes[i].start != code->start) {
            continue;
        }
        const struct laxity_shape *shape = &codes[i].shape;
        const struct laxity_sim_loop loop = {
            .body = LAXITY_SIM_EXECUTE,
            .instructions = laxity_shape_line_uses(shape, 0),
            .n = (shape->bytes - offset % shape->bytes) / shape->line_bytes,
            .address = CODE_ADDRESS + (i << 40U) + offset,
            .step_bytes = shape->line_bytes,
        };
        laxity_simulated_act(&loop, 1);
    }
    return value;
}

void laxity_code_free(struct laxity_code *code)
{
    for (size_t i = 0; i < CODES_MAX && code->start; i++) {
        if (codes[i].start == code->start) {
            codes[i].start = NULL;
        }
    }
    free(code->start);
    *code = (struct laxity_code){0};
}

struct laxity_evicting laxity_evicting_of(enum laxity_sim_body body, uint64_t bytes)
{
    const bool is_code = body == LAXITY_SIM_EXECUTE;
    const uint64_t step_bytes = is_code ? laxity_crpd_line_bytes() : step_of(EVICT_STEP_BYTES);
    const uint64_t blocks = (bytes + LAXITY_EVICT_BLOCK_BYTES - 1) / LAXITY_EVICT_BLOCK_BYTES;
    struct laxity_evicting evicting = {.n = (size_t)blocks * LAXITY_EVICT_BLOCK_PASSES};
    evicting.loops = calloc(evicting.n + 1, sizeof *evicting.loops);
    if (!evicting.loops) {
        laxity_simulated_refuse("no memory for what evicts; lower --evict-size");
    }
    for (size_t i = 0; i < evicting.n; i++) {
        const uint64_t at = i / LAXITY_EVICT_BLOCK_PASSES * LAXITY_EVICT_BLOCK_BYTES;
        const uint64_t rest = bytes - at;
        const uint64_t size = rest < LAXITY_EVICT_BLOCK_BYTES ? rest : LAXITY_EVICT_BLOCK_BYTES;
        /* A run of code ends with its block. */
        const uint64_t skipped = is_code ? LAXITY_EVICT_BLOCK_BYTES - size : 0;
        evicting.loops[i] = (struct laxity_sim_loop){
            .body = body,
            .instructions = 1,
            .n = (size + step_bytes - 1) / step_bytes,
            .address = EVICT_ADDRESS + at + skipped - skipped % laxity_crpd_line_bytes(),
            .step_bytes = step_bytes,
        };
    }
    return evicting;
}

struct laxity_evicting laxity_evicting_all(uint64_t bytes)
{
    struct laxity_evicting data = laxity_evicting_of(LAXITY_SIM_UPDATE, bytes);
    struct laxity_evicting code = laxity_evicting_of(LAXITY_SIM_EXECUTE, bytes);
    struct laxity_evicting all = {.n = data.n + code.n};
    all.loops = calloc(all.n + 1, sizeof *all.loops);
    if (!all.loops) {
        laxity_simulated_refuse("no memory for what evicts; lower --evict-size");
    }
    for (size_t i = 0; i < all.n; i++) {
        all.loops[i] = i < data.n ? data.loops[i] : code.loops[i - data.n];
    }
    laxity_evicting_free(&data);
    laxity_evicting_free(&code);
    return all;
}

void laxity_evicting_free(struct laxity_evicting *evicting)
{
    free(evicting->loops);
    *evicting = (struct laxity_evicting){0};
}

int laxity_memory_map_region(
    struct laxity_probe_run *run,
    size_t bytes,
    int32_t node,
    bool is_huge,
    struct laxity_memory_region *out_region
)
{
    out_region->node = node;
    if (is_huge) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_USAGE,
            "memory_latency: a simulated platform has no huge pages; leave --pages out"
        );
    }
    if (node != LAXITY_ANY_NODE && !laxity_simulated_has_node(node)) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_USAGE,
            "memory_latency: the platform has no node %d",
            (int)node
        );
    }
    if (laxity_pages_map(bytes, LAXITY_ANY_NODE, is_huge, &out_region->pages)) {
        return laxity_refuse(
            &run->shared->error, LAXITY_EXIT_LACKING, "memory_latency: no memory; lower --size"
        );
    }
    laxity_simulated_map(out_region->pages.start, out_region->pages.bytes, node);
    return 0;
}

struct laxity_memory_link *laxity_memory_chase(struct laxity_memory_link *link, size_t steps)
{
    const size_t n =
        (steps + LAXITY_MEMORY_UNROLLED - 1) / LAXITY_MEMORY_UNROLLED * LAXITY_MEMORY_UNROLLED;
    uint32_t *order = new_order(n);
    const uint64_t first = laxity_simulated_address(link);
    uint64_t lowest = first;
    struct laxity_memory_link *at = link;
    for (size_t i = 0; i < n; i++, at = at->next) {
        const uint64_t address = laxity_simulated_address(at);
        lowest = address < lowest ? address : lowest;
    }
    at = link;
    for (size_t i = 0; i < n; i++, at = at->next) {
        order[i] = (uint32_t)((laxity_simulated_address(at) - lowest) / LINK_STEP_BYTES);
    }
    const struct laxity_sim_loop loop = {
        .body = LAXITY_SIM_FOLLOW,
        .n = n,
        .address = lowest,
        .step_bytes = LINK_STEP_BYTES,
        .order = order,
    };
    laxity_simulated_act(&loop, 1);
    free(order);
    return at;
}

static void use_indices(
    enum laxity_sim_body body, const unsigned char *start, const uint32_t *indices, size_t n
)
{
    const struct laxity_sim_loop loop = {
        .body = body,
        .n = n,
        .address = laxity_simulated_address(start),
        .step_bytes = WORD_BYTES,
        .order = indices,
    };
    laxity_simulated_act(&loop, 1);
}

void laxity_memory_read(const unsigned char *start, const uint32_t *indices, size_t n)
{
    use_indices(LAXITY_SIM_READ_INDEX, start, indices, n);
}

void laxity_memory_write(unsigned char *start, const uint32_t *indices, size_t n)
{
    use_indices(LAXITY_SIM_WRITE_INDEX, start, indices, n);
}

static void stream(
    enum laxity_sim_body body, const unsigned char *start, const unsigned char *from, size_t bytes
)
{
    const struct laxity_sim_loop loop = {
        .body = body,
        .n = bytes / STREAM_STEP_BYTES,
        .address = laxity_simulated_address(start),
        .step_bytes = STREAM_STEP_BYTES,
        .second = from ? laxity_simulated_address(from) : 0,
    };
    laxity_simulated_act(&loop, 1);
}

void laxity_memory_stream_read(const unsigned char *start, size_t bytes)
{
    stream(LAXITY_SIM_STREAM_READ, start, NULL, bytes);
}

void laxity_memory_stream_write(unsigned char *start, size_t bytes)
{
    stream(LAXITY_SIM_STREAM_WRITE, start, NULL, bytes);
}

void laxity_memory_stream_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    stream(LAXITY_SIM_STREAM_COPY, to, from, bytes);
}
