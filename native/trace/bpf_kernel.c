/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/bpf_kernel.h"

#include "base/error.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    NAME_BYTES = 64
};

/* What libbpf would print; our message says what matters of it. */
static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level;
    (void)format;
    (void)arguments;
    return 0;
}

/* The kernel's type of a tracepoint's probe, a function whose first argument is the probe's own;
 * NULL if there is none. */
static const struct btf_type *find_probe(const struct btf *btf, const char *tracepoint)
{
    char name[NAME_BYTES];
    laxity_format(name, sizeof name, "btf_trace_%s", tracepoint);
    const int32_t id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
    if (id < 0) {
        return NULL;
    }
    const struct btf_type *pointer = btf__type_by_id(btf, btf__type_by_id(btf, (uint32_t)id)->type);
    return pointer && btf_is_ptr(pointer) ? btf__type_by_id(btf, pointer->type) : NULL;
}

bool laxity_bpf_has_tracepoint(const struct btf *btf, const char *tracepoint)
{
    return find_probe(btf, tracepoint) != NULL;
}

unsigned laxity_bpf_count_arguments(const struct btf *btf, const char *tracepoint)
{
    const struct btf_type *probe = find_probe(btf, tracepoint);
    return probe && btf_is_func_proto(probe) && btf_vlen(probe) > 0 ? btf_vlen(probe) - 1U : 0;
}

const char *laxity_bpf_tracepoint(const struct bpf_program *program)
{
    const char *section = bpf_program__section_name(program);
    const char *slash = strchr(section, '/');
    return slash ? slash + 1 : section;
}

int laxity_bpf_read_kernel(const char *tracepoint, struct btf **out_btf, struct laxity_error *error)
{
    (void)libbpf_set_print(print_nothing);
    struct btf *btf = btf__load_vmlinux_btf();
    if (!btf) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "bpf: no type information of the kernel (/sys/kernel/btf/vmlinux: %s); use a kernel "
            "with CONFIG_DEBUG_INFO_BTF",
            strerrordesc_np(errno)
        );
    }
    if (!laxity_bpf_has_tracepoint(btf, tracepoint)) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "bpf: this kernel has no tracepoint %s; use another back-end",
            tracepoint
        );
        btf__free(btf);
        return -1;
    }
    *out_btf = btf;
    return 0;
}

void laxity_bpf_explain_refusal(int rc, struct laxity_error *error)
{
    const char *advice = "use another --backend";
    if (rc == -EPERM || rc == -EACCES) {
        advice = "run as root (CAP_BPF and CAP_PERFMON)";
    } else if (rc == -ENOMEM) {
        advice = "name a smaller --ring";
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_LACKING,
        "bpf: the kernel refuses our programs (%s); %s",
        strerrordesc_np(-rc),
        advice
    );
}
