/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin of QEMU's user-mode emulators: writes what a program executes and accesses into the
 * pipe `fd=N` (sim/interface/records.h). It runs as a part of QEMU and therefore stands alone,
 * under QEMU's licence.
 */
#include "frontend/qemu_plugin.h"
#include "interface/records.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    API_VERSION = 1,
    /* A block with its sizes takes at most so many words. */
    BLOCK_WORDS_MAX = 3 + LAXITY_RECORD_INSTRUCTIONS_MAX / 8,
};

__attribute__((visibility("default"))) int qemu_plugin_version = API_VERSION;

static struct {
    int fd;
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

static void flush_full(void)
{
    if (out.n_words >= LAXITY_RECORD_WORDS) {
        flush();
    }
}

static void on_execution(unsigned vcpu, void *id)
{
    (void)vcpu;
    put((uint64_t)LAXITY_SIM_EXECUTION << LAXITY_RECORD_KIND_SHIFT | (uintptr_t)id);
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
    flush_full();
}

static void on_translation(qemu_plugin_id_t plugin, struct qemu_plugin_tb *block)
{
    (void)plugin;
    const size_t n = qemu_plugin_tb_n_insns(block);
    if (n == 0 || n > LAXITY_RECORD_INSTRUCTIONS_MAX) {
        fprintf(stderr, "laxity-stream: a block of %zu instructions\n", n);
        abort();
    }
    const uintptr_t id = out.n_blocks++;
    put((uint64_t)LAXITY_SIM_BLOCK << LAXITY_RECORD_KIND_SHIFT | id);
    put(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
    put(n);
    uint8_t sizes[LAXITY_RECORD_INSTRUCTIONS_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        sizes[i] = (uint8_t)qemu_plugin_insn_size(instruction);
        qemu_plugin_register_vcpu_mem_cb(
            instruction,
            on_access,
            QEMU_PLUGIN_CB_NO_REGS,
            QEMU_PLUGIN_MEM_RW,
            (void *)(uintptr_t)i // NOLINT(performance-no-int-to-ptr) - a number, handed through
        );
    }
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, &sizes[i], sizeof word);
        put(word);
    }
    qemu_plugin_register_vcpu_tb_exec_cb(
        block,
        on_execution,
        QEMU_PLUGIN_CB_NO_REGS,
        (void *)id // NOLINT(performance-no-int-to-ptr) - a number, handed through
    );
    flush_full();
}

static void on_exit_of_program(qemu_plugin_id_t plugin, void *userdata)
{
    (void)plugin;
    (void)userdata;
    flush();
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
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
    (void)signal(SIGPIPE, SIG_IGN);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
    return 0;
}
