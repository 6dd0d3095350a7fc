/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The symbol that the linker puts in place of NAME in a guest (--wrap=NAME). */
#ifndef LAXITY_GUESTS_WRAPPED_H
#define LAXITY_GUESTS_WRAPPED_H

#define LAXITY_WRAP_SYMBOL(name) __asm__("__wrap_" #name)

#endif
