/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Whether a guest has answered signals: nearly none does, and asking the kernel for all 64 answers
 * after each job takes longer than copying its state back.
 *
 * Its calls of signal() and sigaction() come here (--wrap). What it does by other ways stays, which
 * laxity-vet sees.
 */
#ifndef LAXITY_GUESTS_GUEST_SIGNALS_H
#define LAXITY_GUESTS_GUEST_SIGNALS_H

#include <stdbool.h>

/* laxity_guest_signals_take - whether an answer was changed since the last call */
bool laxity_guest_signals_take(void);

#endif
