/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A guest: a third-party program that runs unchanged as jobs in our process, from a shared object
 * or linked into the executable.
 *
 * A convention says which of its functions prepares, which one is the job, and which one checks it.
 */
#ifndef LAXITY_GUESTS_GUEST_H
#define LAXITY_GUESTS_GUEST_H

#include "base/error.h"
#include "guests/guest_image.h"

#include <stdint.h>

/* Words of the command line, in the order of enum laxity_convention. */
#define LAXITY_CONVENTIONS "main init-main-return hooks embench"

enum laxity_convention {
    LAXITY_CONVENTION_MAIN,             /* main(argc, argv) is the job */
    LAXITY_CONVENTION_INIT_MAIN_RETURN, /* NAME_init(), NAME_main(), int NAME_return() */
    LAXITY_CONVENTION_HOOKS,            /* laxity/hooks.h */
    LAXITY_CONVENTION_EMBENCH,          /* initialise_benchmark, benchmark, verify_benchmark */
};

struct laxity_guest {
    void *image;
    enum laxity_convention convention;
    void *steps[LAXITY_GUEST_STEPS]; /* NULL = the convention has none */
    int argc;
    char **argv;    /* of main: argv[0] is the program's name; of the hooks: the words alone */
    int job_value;  /* what the last job returned; embench's check wants it */
    void *flush;    /* NULL = the guest has no streams of C++ */
    uint32_t calls; /* of the job's function in one job; 0 is 1 */
};

/* laxity_guest_find_word - place of a word in a list with blanks between words; -1 = none */
int laxity_guest_find_word(const char *list, const char *word);

/*
 * laxity_guest_load - load a shared object and find the functions of its convention
 *
 * An executable that a guest is linked into has it already, whatever `path` says. *
 * `name` is the prefix of LAXITY_CONVENTION_INIT_MAIN_RETURN. `words` are argc words and a NULL,
 * the first one the program's name; they must stay. Returns 0, or -1 with error set.
 */
int laxity_guest_load(
    struct laxity_guest *guest,
    const char *path,
    enum laxity_convention convention,
    const char *name,
    struct laxity_error *error
);

/* laxity_guest_has - whether the convention has such a step and the guest the function */
int laxity_guest_has(const struct laxity_guest *guest, enum laxity_guest_step step);

/*
 * laxity_guest_step - call one function of the guest, whatever it does to us
 *
 * Returns what it returned; 0 where it returns nothing.
 */
int laxity_guest_step(struct laxity_guest *guest, enum laxity_guest_step step);

/* laxity_guest_flush - after a job: what it has printed is written, as a process that ends does */
void laxity_guest_flush(const struct laxity_guest *guest);

#endif
