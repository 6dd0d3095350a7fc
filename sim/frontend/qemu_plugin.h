/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we use of QEMU's interface of plugins: no binary package of Debian has its header. Names and
 * types are QEMU's (include/qemu/qemu-plugin.h). LAXITY_QEMU_PLUGIN_API is its version, and chosen
 * by the build: 1 is that of QEMU 7.2; since QEMU 9.0 plugins of version 1 are refused; 3, since
 * 9.1, copies the bytes of an instruction.
 */
#ifndef LAXITY_SIM_QEMU_PLUGIN_H
#define LAXITY_SIM_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

/* What we read of it; more follows. */
typedef struct qemu_info_t {
    const char *target_name;
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags {
    QEMU_PLUGIN_CB_NO_REGS,
    QEMU_PLUGIN_CB_R_REGS,
    QEMU_PLUGIN_CB_RW_REGS,
};

enum qemu_plugin_mem_rw {
    QEMU_PLUGIN_MEM_R = 1,
    QEMU_PLUGIN_MEM_W,
    QEMU_PLUGIN_MEM_RW,
};

void qemu_plugin_register_vcpu_tb_trans_cb(
    qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
);
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block,
    void (*callback)(unsigned vcpu, void *userdata),
    enum qemu_plugin_cb_flags flags,
    void *userdata
);
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *instruction,
    void (*callback)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *userdata),
    enum qemu_plugin_cb_flags flags,
    enum qemu_plugin_mem_rw rw,
    void *userdata
);
void qemu_plugin_register_vcpu_syscall_cb(
    qemu_plugin_id_t id,
    void (*callback)(
        qemu_plugin_id_t id,
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
);
void qemu_plugin_register_vcpu_syscall_ret_cb(
    qemu_plugin_id_t id,
    void (*callback)(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t value)
);
void qemu_plugin_register_atexit_cb(
    qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t id, void *userdata), void *userdata
);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
#if LAXITY_QEMU_PLUGIN_API >= 3
size_t
qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction, void *destination, size_t length);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
#endif
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* What a plugin has: the version of the interface that it knows, and what QEMU calls first. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif
