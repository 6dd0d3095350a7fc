/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "codegen/code.h"

#include "base/error.h"
#include "base/port/executable.h"
#include "codegen/isa.h"
#include "codegen/shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#if defined(__clang__)
/* The sanitizer of calls looks for a mark in front of every function; ours has none. */
#define CALLS_GENERATED_CODE __attribute__((no_sanitize("function")))
#else
#define CALLS_GENERATED_CODE
#endif

uint64_t laxity_code_adds(const struct laxity_shape *shape)
{
    const uint64_t lines = laxity_shape_lines(shape);
    const uint32_t uses_max = laxity_shape_uses_max(shape->line_bytes);
    uint64_t adds = laxity_shape_uses(shape) - 1; /* without the return */
    for (uint64_t i = 0; i + 1 < lines; i++) {
        adds -= laxity_shape_line_uses(shape, i) < uses_max; /* without the jump */
    }
    return adds;
}

/* Everything of one line behind its first `uses` words traps. */
static void write_line(
    const struct laxity_isa *isa,
    uint32_t line_bytes,
    uint32_t uses,
    uint32_t add,
    unsigned char *out
)
{
    for (uint32_t i = 0; i < laxity_shape_uses_max(line_bytes); i++) {
        laxity_isa_put(isa, out + (size_t)i * LAXITY_USE_BYTES, i < uses ? add : isa->trap);
    }
}

void laxity_code_write(
    const struct laxity_isa *isa,
    const struct laxity_shape *shape,
    enum laxity_code_add add,
    unsigned char *out
)
{
    const uint64_t lines = laxity_shape_lines(shape);
    const uint32_t word = add == LAXITY_CODE_ADD_ONE ? isa->add_one : isa->add;
    for (uint64_t i = 0; i < lines; i++) {
        const uint32_t uses = laxity_shape_line_uses(shape, i);
        unsigned char *line = out + (size_t)i * shape->line_bytes;
        const uint32_t last_at = (uses - 1) * LAXITY_USE_BYTES;
        write_line(isa, shape->line_bytes, uses, word, line);
        if (i + 1 == lines) {
            laxity_isa_put(isa, line + last_at, isa->return_to_caller);
        } else if (uses < laxity_shape_uses_max(shape->line_bytes)) {
            laxity_isa_put(isa, line + last_at, isa->jump(shape->line_bytes - last_at));
        }
    }
}

#if defined(__x86_64__)
/* The register is third argument and second half of a result (isa.c). */
struct halves {
    uint64_t unused;
    uint64_t sum;
};
typedef struct halves (*entry)(uint64_t unused1, uint64_t unused2, uint64_t value);
#else
typedef uintptr_t (*entry)(uintptr_t value);
#endif

CALLS_GENERATED_CODE uintptr_t
laxity_code_run(const struct laxity_code *code, size_t offset, uintptr_t value)
{
    const unsigned char *start = code->start + offset;
    entry function;
    /* An object's address as a function's: no cast of C17 allows that, every system of ours does.
     */
    memcpy(&function, &start, sizeof function);
#if defined(__x86_64__)
    return function(0, 0, value).sum;
#else
    return function(value);
#endif
}

/* SELinux's execmem, systemd's MemoryDenyWriteExecute=, prctl(PR_SET_MDWE). */
static const char allow[] = "let this process make memory executable (SELinux, systemd, prctl)";

static int refuse(struct laxity_error *error, const char *what, int status, const char *advice)
{
    return laxity_refuse(
        error,
        LAXITY_EXIT_LACKING,
        "cannot %s generated code: %s; %s",
        what,
        strerrordesc_np(-status),
        advice
    );
}

/* Writes every copy and makes them executable. Returns 0, or -1 with error set. */
static int write_and_seal(
    const struct laxity_shape *shape,
    enum laxity_code_add add,
    const struct laxity_code *code,
    struct laxity_error *error
)
{
    for (size_t at = 0; at < code->bytes; at += (size_t)shape->bytes) {
        laxity_code_write(laxity_isa_host(), shape, add, code->start + at);
    }
    const int status = laxity_executable_seal(code->start, code->mapped_bytes);
    return status == 0 ? 0 : refuse(error, "execute", status, allow);
}

/* Runs every copy once. Returns 0, or -1 with error set if one did not add `expected`. */
static int check_sums(
    const struct laxity_shape *shape,
    const struct laxity_code *code,
    uint64_t expected,
    struct laxity_error *error
)
{
    enum {
        START = 7 /* any number but 0 */
    };
    for (size_t at = 0; at < code->bytes; at += (size_t)shape->bytes) {
        const uintptr_t sum = laxity_code_run(code, at, START) - START;
        if (sum != (uintptr_t)expected) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_INTERNAL,
                "generated code added %" PRIuPTR " times instead of %" PRIu64
                "; the instruction cache is not what this build takes it for",
                sum,
                expected
            );
        }
    }
    return 0;
}

/* First `add 1`, whose sum shows what was executed, then `add 0` in its place. */
static int write_and_prove(
    const struct laxity_shape *shape, const struct laxity_code *code, struct laxity_error *error
)
{
    if (write_and_seal(shape, LAXITY_CODE_ADD_ONE, code, error) ||
        check_sums(shape, code, laxity_code_adds(shape), error)) {
        return -1;
    }
    const int status = laxity_executable_open(code->start, code->mapped_bytes);
    if (status) {
        return refuse(error, "rewrite", status, allow);
    }
    if (write_and_seal(shape, LAXITY_CODE_ADD_ZERO, code, error)) {
        return -1;
    }
    return check_sums(shape, code, 0, error);
}

int laxity_code_make(
    const struct laxity_shape *shape,
    size_t copies,
    struct laxity_code *out_code,
    struct laxity_error *error
)
{
    if (laxity_isa_host() == NULL) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "no code can be generated for this instruction set; use one of those that laxity knows"
        );
    }
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    struct laxity_code code = {0};
    if (!__builtin_mul_overflow(shape->bytes, copies, &code.bytes) &&
        code.bytes <= SIZE_MAX - page_bytes) {
        code.mapped_bytes = code.bytes + (page_bytes - code.bytes % page_bytes) % page_bytes;
        code.start = laxity_executable_map(code.mapped_bytes);
    }
    if (!code.start) {
        return refuse(error, "allocate", -ENOMEM, "ask for less of it");
    }
    if (write_and_prove(shape, &code, error)) {
        laxity_code_free(&code);
        return -1;
    }
    *out_code = code;
    return 0;
}

void laxity_code_free(struct laxity_code *code)
{
    if (code->start) {
        laxity_executable_unmap(code->start, code->mapped_bytes);
    }
    *code = (struct laxity_code){0};
}
