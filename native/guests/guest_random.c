/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest_random.h"

#include "guests/wrapped.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* The C library has two generators: rand() is random(). */
enum generator {
    GENERATOR_RANDOM,
    GENERATOR_48_BITS,
    GENERATORS,
};

/* A wrapped function has no argument that could lead it there. */
static atomic_uint is_seeded[GENERATORS]; /* a whole word: as in guest_signals.c */
static atomic_uint is_stale;

void laxity_guest_random_begin(void)
{
    for (int generator = 0; generator < GENERATORS; generator++) {
        atomic_store(&is_seeded[generator], 0U);
    }
    atomic_store(&is_stale, 0U);
}

bool laxity_guest_random_is_stale(void)
{
    return atomic_load(&is_stale) != 0;
}

/* In the measured part: of a program with a seed it is one load. */
static void note_number(enum generator generator)
{
    if (atomic_load_explicit(&is_seeded[generator], memory_order_relaxed) == 0) {
        atomic_store_explicit(&is_stale, 1U, memory_order_relaxed);
    }
}

static void note_seed(enum generator generator)
{
    atomic_store_explicit(&is_seeded[generator], 1U, memory_order_relaxed);
}

/* The names that the linker gives them. */
int guest_rand(void) LAXITY_WRAP_SYMBOL(rand);
long guest_random(void) LAXITY_WRAP_SYMBOL(random);
void guest_srand(unsigned seed) LAXITY_WRAP_SYMBOL(srand);
void guest_srandom(unsigned seed) LAXITY_WRAP_SYMBOL(srandom);
double guest_drand48(void) LAXITY_WRAP_SYMBOL(drand48);
long guest_lrand48(void) LAXITY_WRAP_SYMBOL(lrand48);
long guest_mrand48(void) LAXITY_WRAP_SYMBOL(mrand48);
void guest_srand48(long seed) LAXITY_WRAP_SYMBOL(srand48);

int guest_rand(void)
{
    note_number(GENERATOR_RANDOM);
    return rand(); /* NOLINT(cert-msc30-c,cert-msc50-cpp,concurrency-mt-unsafe): the guest's own */
}

long guest_random(void)
{
    note_number(GENERATOR_RANDOM);
    return random();
}

void guest_srand(unsigned seed)
{
    note_seed(GENERATOR_RANDOM);
    srand(seed);
}

void guest_srandom(unsigned seed)
{
    note_seed(GENERATOR_RANDOM);
    srandom(seed);
}

/* NOLINTBEGIN(concurrency-mt-unsafe): the guest's own */
double guest_drand48(void)
{
    note_number(GENERATOR_48_BITS);
    return drand48();
}

long guest_lrand48(void)
{
    note_number(GENERATOR_48_BITS);
    return lrand48();
}

long guest_mrand48(void)
{
    note_number(GENERATOR_48_BITS);
    return mrand48();
}
void guest_srand48(long seed)
{
    note_seed(GENERATOR_48_BITS);
    srand48(seed);
}
/* NOLINTEND(concurrency-mt-unsafe) */
