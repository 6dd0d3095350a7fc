/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* Interrupts that only the CPU numbers, by the names of x86's tracepoints. */
#ifndef LAXITY_TRACE_BPF_VECTORS_H
#define LAXITY_TRACE_BPF_VECTORS_H

#define LAXITY_BPF_VECTORS(X)                                                                      \
    X(local_timer)                                                                                 \
    X(reschedule)                                                                                  \
    X(call_function)                                                                               \
    X(call_function_single)                                                                        \
    X(irq_work)                                                                                    \
    X(x86_platform_ipi)                                                                            \
    X(thermal_apic)                                                                                \
    X(threshold_apic)                                                                              \
    X(deferred_error_apic)                                                                         \
    X(error_apic)                                                                                  \
    X(spurious_apic)

enum {
    /* Interrupts that Linux numbers, whose names are looked up; later ones go by their number. */
    LAXITY_BPF_NAMED_IRQS = 1024
};

#endif
