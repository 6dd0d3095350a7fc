/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The symbol that stands in place of NAME in a guest: the linker's of --wrap=NAME in one that is
 * loaded; one of our own in one that is linked, where --wrap=NAME is the allocator's of us all.
 */
#ifndef LAXITY_GUESTS_WRAPPED_H
#define LAXITY_GUESTS_WRAPPED_H

#ifdef LAXITY_GUEST_IS_LINKED
#define LAXITY_WRAP_SYMBOL(name) __asm__("laxity_guest_wrap_" #name)
#else
#define LAXITY_WRAP_SYMBOL(name) __asm__("__wrap_" #name)
#endif

#endif
