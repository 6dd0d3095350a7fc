/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A guest that is linked into this executable (laxity.suites.static_link): its functions have the
 * names of their steps, its state lies between known symbols.
 */
#include "base/error.h"
#include "guests/guest_image.h"

#include <stddef.h>
#include <stdint.h>

/* The guest's functions; those that its convention lacks stay undefined, and then are NULL. */
#define GUEST_STEP(step) __asm__("laxity_guest_step_" #step) __attribute__((weak))
extern void guest_init(void) GUEST_STEP(init);
extern void guest_job(void) GUEST_STEP(job);
extern void guest_check(void) GUEST_STEP(check);
extern void guest_teardown(void) GUEST_STEP(teardown);
extern void guest_flush(void) GUEST_STEP(flush);

/* The linker's, for sections whose names are those of C; weak, for a guest may have neither. */
#define SECTION_BOUND(bound, kind) __asm__("__" #bound "_laxity_guest_" #kind) __attribute__((weak))
extern unsigned char data_first[] SECTION_BOUND(start, data);
extern unsigned char data_end[] SECTION_BOUND(stop, data);
extern unsigned char bss_first[] SECTION_BOUND(start, bss);
extern unsigned char bss_end[] SECTION_BOUND(stop, bss);

/* Before and behind the guest on the linker's command line (linked_first.c, linked_last.c). */
extern _Thread_local unsigned char laxity_guest_tdata_first;
extern _Thread_local unsigned char laxity_guest_tdata_last;
extern _Thread_local unsigned char laxity_guest_tbss_first;
extern _Thread_local unsigned char laxity_guest_tbss_last;

int laxity_image_open(const char *path, void **out_image, struct laxity_error *error)
{
    (void)path;
    (void)error;
    *out_image = NULL;
    return 0;
}

bool laxity_image_defines(void *image, const char *symbol)
{
    (void)image;
    (void)symbol;
    return false;
}

void *laxity_image_find(void *image, enum laxity_guest_step step, const char *symbol)
{
    (void)image;
    (void)symbol;
    /* POSIX has functions and data in one address space. */
    union {
        void (*function)(void);
        void *address;
    } const steps[] = {
        [LAXITY_GUEST_INIT] = {guest_init},
        [LAXITY_GUEST_JOB] = {guest_job},
        [LAXITY_GUEST_CHECK] = {guest_check},
        [LAXITY_GUEST_TEARDOWN] = {guest_teardown},
        [LAXITY_GUEST_FLUSH] = {guest_flush},
    };
    return steps[step].address;
}

int laxity_image_each_region(
    void *image, int (*note)(void *context, uintptr_t first, uintptr_t end), void *context
)
{
    const uintptr_t regions[][2] = {
        {(uintptr_t)data_first, (uintptr_t)data_end},
        {(uintptr_t)bss_first, (uintptr_t)bss_end},
        {(uintptr_t)&laxity_guest_tdata_first, (uintptr_t)&laxity_guest_tdata_last},
        {(uintptr_t)&laxity_guest_tbss_first, (uintptr_t)&laxity_guest_tbss_last},
    };
    (void)image;
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        const int rc = note(context, regions[i][0], regions[i][1]);
        if (rc) {
            return rc;
        }
    }
    return 0;
}
