/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/guest.h"

#include "base/error.h"
#include "guests/guest_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum {
    SYMBOL_BYTES = 256
};

/* "%s" stands for the guest's name; NULL = the convention has no such step. */
struct convention {
    const char *symbols[LAXITY_GUEST_STEPS];
    bool is_needed[LAXITY_GUEST_STEPS];
};

static const struct convention conventions[] = {
    [LAXITY_CONVENTION_MAIN] = {{NULL, "main", NULL, NULL}, {false, true, false, false}},
    [LAXITY_CONVENTION_INIT_MAIN_RETURN] =
        {{"_init", "_main", "_return", NULL}, {true, true, true, false}},
    [LAXITY_CONVENTION_HOOKS] =
        {{"benchmark_init", "benchmark_execution", NULL, "benchmark_teardown"},
         {true, true, false, true}},
    [LAXITY_CONVENTION_EMBENCH] =
        {{"initialise_benchmark", "benchmark", "verify_benchmark", NULL}, {true, true, true, false}
        },
};

static int find_step(
    struct laxity_guest *guest,
    enum laxity_guest_step step,
    const char *name,
    struct laxity_error *error
)
{
    const struct convention *convention = &conventions[guest->convention];
    char symbol[SYMBOL_BYTES];
    if (!convention->symbols[step]) {
        return 0;
    }
    const bool is_named = guest->convention == LAXITY_CONVENTION_INIT_MAIN_RETURN;
    laxity_format(symbol, sizeof symbol, "%s%s", is_named ? name : "", convention->symbols[step]);
    guest->steps[step] = laxity_image_find(guest->image, step, symbol);
    if (!guest->steps[step] && convention->is_needed[step]) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "it has no function %.80s; see laxity suite discover", symbol
        );
    }
    return 0;
}

int laxity_guest_find_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    int place = 0;
    for (const char *at = list; *at != '\0'; place++) {
        const size_t next = strcspn(at, " ");
        if (next == length && strncmp(at, word, length) == 0) {
            return place;
        }
        at += next;
        at += *at == ' ';
    }
    return -1;
}

int laxity_guest_load(
    struct laxity_guest *guest,
    const char *path,
    enum laxity_convention convention,
    const char *name,
    struct laxity_error *error
)
{
    guest->convention = convention;
    if (laxity_image_open(path, &guest->image, error)) {
        return -1;
    }
    for (int step = 0; step < LAXITY_GUEST_STEPS; step++) {
        if (find_step(guest, (enum laxity_guest_step)step, name, error)) {
            return -1;
        }
    }
    guest->flush = laxity_image_find(guest->image, LAXITY_GUEST_FLUSH, "laxity_guest_flush");
    return 0;
}

int laxity_guest_has(const struct laxity_guest *guest, enum laxity_guest_step step)
{
    return guest->steps[step] != NULL;
}

/* The analyzer does not see that a union's address comes from its other member.
 * NOLINTBEGIN(clang-analyzer-core.CallAndMessage) */

/* What a guest declares nobody can know here; these are the types that the conventions name. */
union entry {
    void *symbol;
    void (*nothing)(void);
    int (*value)(void);
    int (*check)(int);
    int (*main_function)(int, char **, char **);
    int (*hook_init)(int, void **);
    void (*hook)(int, void **);
};

/*
 * What a guest returned. The asm keeps the call in front of it from replacing its caller's frame,
 * whose saved registers and return address would then lie in the guest's own.
 */
static inline int returned(int value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static int call_hook(const struct laxity_guest *guest, enum laxity_guest_step step)
{
    const union entry entry = {.symbol = guest->steps[step]};
    if (!entry.symbol) {
        return 0;
    }
    /* The words alone, as laxity/hooks.h says. */
    void **words = (void **)(guest->argv + 1);
    if (step == LAXITY_GUEST_INIT) {
        return returned(entry.hook_init(guest->argc - 1, words));
    }
    entry.hook(guest->argc - 1, words);
    return 0;
}

static int call_embench(struct laxity_guest *guest, enum laxity_guest_step step)
{
    const union entry entry = {.symbol = guest->steps[step]};
    if (!entry.symbol) {
        return 0;
    }
    if (step == LAXITY_GUEST_INIT) {
        entry.nothing();
        return 0;
    }
    if (step == LAXITY_GUEST_CHECK) {
        return returned(entry.check(guest->job_value));
    }
    /* The program's check may say that it checks nothing: then this alone is what it computes. */
    guest->job_value = entry.value();
    return returned(guest->job_value);
}

int laxity_guest_step(struct laxity_guest *guest, enum laxity_guest_step step)
{
    const union entry entry = {.symbol = guest->steps[step]};
    if (!entry.symbol) {
        return 0;
    }
    switch (guest->convention) {
    case LAXITY_CONVENTION_MAIN:
        return returned(entry.main_function(guest->argc, guest->argv, environ));
    case LAXITY_CONVENTION_HOOKS:
        return call_hook(guest, step);
    case LAXITY_CONVENTION_EMBENCH:
        return call_embench(guest, step);
    case LAXITY_CONVENTION_INIT_MAIN_RETURN:
        break;
    }
    if (step == LAXITY_GUEST_CHECK) {
        return returned(entry.value());
    }
    entry.nothing();
    return 0;
}

void laxity_guest_flush(const struct laxity_guest *guest)
{
    const union entry entry = {.symbol = guest->flush};
    if (entry.symbol) {
        entry.nothing();
    }
}
/* NOLINTEND(clang-analyzer-core.CallAndMessage) */
