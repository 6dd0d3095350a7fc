/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin of QEMU's user-mode emulators: writes what a program executes, accesses and asks the
 * kernel for into the pipe `fd=N` (sim/interface/records.h). It runs as a part of QEMU and
 * therefore stands alone, under QEMU's licence. It decodes nothing.
 */
#include "frontend/qemu_plugin.h"
#include "harness/mark_table.h"
#include "interface/records.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    /* The longest instruction, of x86-64, has 15 bytes. */
    INSTRUCTION_BYTES_MAX = 16,
    /* A block takes at most so many words. */
    BLOCK_WORDS_MAX = 3 + LAXITY_RECORD_INSTRUCTIONS_MAX * (1 + INSTRUCTION_BYTES_MAX) / 8,
    CALLS_PLACING = 4,
};

__attribute__((visibility("default"))) int qemu_plugin_version = LAXITY_QEMU_PLUGIN_API;

static struct {
    int fd;
    const int64_t *placing; /* calls whose values are addresses */
    uint32_t n_blocks;
    size_t n_words;
    uint64_t words[LAXITY_RECORD_WORDS + BLOCK_WORDS_MAX];
} out;

/* Whoever reads no more has seen enough: the program need not go on. */
static void flush(void)
{
    const char *from = (const char *)out.words;
    size_t left = out.n_words * sizeof out.words[0];
    while (left > 0) {
        const ssize_t n = write(out.fd, from, left);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno == EBADF) {
            (void)fputs("laxity-stream: the program has closed what its records go to\n", stderr);
            _exit(EXIT_FAILURE);
        }
        if (n <= 0) {
            _exit(EXIT_SUCCESS);
        }
        from += n;
        left -= (size_t)n;
    }
    out.n_words = 0;
}

static void put(uint64_t word)
{
    out.words[out.n_words++] = word;
}

static void put_kind(uint64_t kind, uint64_t rest)
{
    put(kind << LAXITY_RECORD_KIND_SHIFT | rest);
}

/* The last word is padded with zeroes. */
static void put_bytes(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, &bytes[i], n - i < sizeof word ? n - i : sizeof word);
        put(word);
    }
}

static void flush_full(void)
{
    if (out.n_words >= LAXITY_RECORD_WORDS) {
        flush();
    }
}

static void on_execution(unsigned vcpu, void *id)
{
    (void)vcpu;
    put_kind(LAXITY_SIM_EXECUTION, (uintptr_t)id);
    flush_full();
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *index)
{
    (void)vcpu;
    const uint64_t size = qemu_plugin_mem_size_shift(info);
    const uint64_t is_store = qemu_plugin_mem_is_store(info);
    put((address & LAXITY_RECORD_ADDRESS_MASK) | size << LAXITY_RECORD_SIZE_SHIFT |
        is_store << LAXITY_RECORD_STORE_SHIFT |
        (uint64_t)(uintptr_t)index << LAXITY_RECORD_INDEX_SHIFT);
    /* A program that dies takes along what has not been written. */
    if (is_store && address == LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH) {
        flush();
    }
    flush_full();
}

/* What is executed, as it lies in memory. */
static void copy_code(const struct qemu_plugin_insn *instruction, uint8_t *to, size_t n)
{
#if LAXITY_QEMU_PLUGIN_API >= 3
    (void)qemu_plugin_insn_data(instruction, to, n);
#else
    memcpy(to, qemu_plugin_insn_data(instruction), n);
#endif
}

static void check(size_t n, size_t most, const char *what)
{
    if (n == 0 || n > most) {
        fprintf(stderr, "laxity-stream: %zu %s\n", n, what);
        abort();
    }
}

/*
 * Of instruction i of n. In front of the end of a page QEMU's translator of Thumb looks whether the
 * next instruction fits, and then takes what it has read for a part of this one.
 */
static size_t size_of(const struct qemu_plugin_tb *block, size_t i, size_t n)
{
    const struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
    const size_t size = qemu_plugin_insn_size(instruction);
    if (i + 1 < n) {
        const struct qemu_plugin_insn *next = qemu_plugin_tb_get_insn(block, i + 1);
        const uint64_t distance =
            qemu_plugin_insn_vaddr(next) - qemu_plugin_insn_vaddr(instruction);
        return distance < size ? (size_t)distance : size;
    }
    return size;
}

static void on_translation(qemu_plugin_id_t plugin, struct qemu_plugin_tb *block)
{
    (void)plugin;
    const size_t n = qemu_plugin_tb_n_insns(block);
    check(n, LAXITY_RECORD_INSTRUCTIONS_MAX, "instructions in a block");
    const uintptr_t id = out.n_blocks++;
    put_kind(LAXITY_SIM_BLOCK, id);
    put(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
    put(n);
    uint8_t sizes[LAXITY_RECORD_INSTRUCTIONS_MAX] = {0};
    uint8_t code[LAXITY_RECORD_INSTRUCTIONS_MAX * INSTRUCTION_BYTES_MAX];
    size_t n_code = 0;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        const size_t size = size_of(block, i, n);
        check(size, INSTRUCTION_BYTES_MAX, "bytes of an instruction");
        sizes[i] = (uint8_t)size;
        copy_code(instruction, &code[n_code], size);
        n_code += size;
        qemu_plugin_register_vcpu_mem_cb(
            instruction,
            on_access,
            QEMU_PLUGIN_CB_NO_REGS,
            QEMU_PLUGIN_MEM_RW,
            (void *)(uintptr_t)i // NOLINT(performance-no-int-to-ptr) - a number, handed through
        );
    }
    put_bytes(sizes, n);
    put_bytes(code, n_code);
    qemu_plugin_register_vcpu_tb_exec_cb(
        block,
        on_execution,
        QEMU_PLUGIN_CB_NO_REGS,
        (void *)id // NOLINT(performance-no-int-to-ptr) - a number, handed through
    );
    flush_full();
}

/*
 * Calls that answer where memory lies, from <asm/unistd.h> of each processor: brk, mmap, mmap2,
 * mremap. What others answer is left out: the number of a process is another one in each run.
 */
static const struct {
    const char *target; /* as QEMU calls it */
    int64_t calls[CALLS_PLACING];
} placing[] = {
    {"arm", {45, 90, 192, 163}},
    {"ppc", {45, 90, 192, 163}},
    {"aarch64", {214, 222, 222, 216}},
    {"riscv64", {214, 222, 222, 216}},
    {"x86_64", {12, 9, 9, 25}},
};

static const int64_t *calls_placing(const char *target)
{
    for (size_t i = 0; i < sizeof placing / sizeof placing[0]; i++) {
        if (strcmp(placing[i].target, target) == 0) {
            return placing[i].calls;
        }
    }
    return NULL;
}

/* Told at once: what follows may take long, or be the end. */
static void on_call( // NOLINT(readability-function-size) - as QEMU calls it
    qemu_plugin_id_t plugin,
    unsigned vcpu,
    int64_t number,
    uint64_t a1,
    uint64_t a2,
    uint64_t a3,
    uint64_t a4,
    uint64_t a5,
    uint64_t a6,
    uint64_t a7,
    uint64_t a8
)
{
    (void)plugin;
    (void)vcpu;
    (void)a7;
    (void)a8;
    const uint64_t arguments[LAXITY_RECORD_ARGUMENTS] = {a1, a2, a3, a4, a5, a6};
    put_kind(LAXITY_SIM_CALL, (uint32_t)number);
    for (size_t i = 0; i < LAXITY_RECORD_ARGUMENTS; i++) {
        put(arguments[i]);
    }
    flush();
}

static void on_return(qemu_plugin_id_t plugin, unsigned vcpu, int64_t number, int64_t value)
{
    (void)plugin;
    (void)vcpu;
    for (size_t i = 0; i < CALLS_PLACING; i++) {
        if (out.placing[i] == number) {
            put_kind(LAXITY_SIM_CALL, LAXITY_RECORD_RETURN | (uint32_t)number);
            put((uint64_t)value);
            flush_full();
            return;
        }
    }
}

static void on_exit_of_program(qemu_plugin_id_t plugin, void *userdata)
{
    (void)plugin;
    (void)userdata;
    flush();
}

/* The program's files have numbers of the same kind, and begin with the lowest. */
static void hide_stream(void)
{
    static const int places[] = {1000, 250};
    int hidden = -1;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && hidden < 0; i++) {
        hidden = fcntl(out.fd, F_DUPFD_CLOEXEC, places[i]);
    }
    if (hidden >= 0) {
        (void)close(out.fd);
        out.fd = hidden;
    }
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    out.fd = -1;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "fd=", 3) == 0) {
            char *end = NULL;
            const long fd = strtol(argv[i] + 3, &end, 10);
            out.fd = *end == '\0' && fd > 2 && fd < 1 << 20 ? (int)fd : -1;
        }
    }
    if (out.fd < 0) {
        (void)fputs("laxity-stream: fd=N names the pipe that it writes into\n", stderr);
        return -1;
    }
    out.placing = calls_placing(info->target_name);
    if (!out.placing) {
        (void)fprintf(stderr, "laxity-stream: unknown processor %s\n", info->target_name);
        return -1;
    }
    hide_stream();
    /* A program that waits for ever would not see that nobody reads any more. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGPIPE, SIG_IGN);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_cb(id, on_call);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
    qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
    return 0;
}
