/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A guest in a shared object: its symbols by dlsym, its state from its program headers. */
#include "base/error.h"
#include "guests/guest_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* What the loader's function for thread-local variables is given, as every ABI here has it. */
struct tls_place {
    unsigned long module;
    unsigned long offset;
};

extern void *tls_address(const struct tls_place *place) __asm__("__tls_get_addr");

struct search {
    uintptr_t base;
    int (*note)(void *context, uintptr_t first, uintptr_t end);
    void *context;
    int rc;
};

/* What the loader has made read-only, rounded as it does. */
struct read_only {
    uintptr_t first;
    uintptr_t end;
};

int laxity_image_open(const char *path, void **out_image, struct laxity_error *error)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror(); /* NOLINT(concurrency-mt-unsafe): one thread */
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "cannot be loaded: %.150s", reason ? reason : "no reason"
        );
    }
    *out_image = handle;
    return 0;
}

void *laxity_image_find(void *image, enum laxity_guest_step step, const char *symbol)
{
    (void)step;
    return dlsym(image, symbol);
}

bool laxity_image_defines(void *image, const char *symbol)
{
    return dlsym(image, symbol) != NULL;
}

static struct read_only read_only_of(const struct dl_phdr_info *object)
{
    const uintptr_t page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_GNU_RELRO) {
            const uintptr_t first = object->dlpi_addr + header->p_vaddr;
            return (struct read_only){first & page_mask, (first + header->p_memsz) & page_mask};
        }
    }
    return (struct read_only){0, 0};
}

/* A writable segment without its part that is read-only now. */
static int
note_segment(struct search *search, const ElfW(Phdr) * header, const struct read_only *fixed)
{
    const uintptr_t first = search->base + header->p_vaddr;
    const uintptr_t end = first + header->p_memsz;
    if (fixed->end <= first || fixed->first >= end) {
        return search->note(search->context, first, end);
    }
    const int rc = search->note(search->context, first, fixed->first);
    return rc ? rc : search->note(search->context, fixed->end, end);
}

/* Until somebody asks the loader for a thread-local variable of an object, it does not tell where
 * they are. */
static int ask_for_thread_locals(struct dl_phdr_info *object, size_t bytes, void *context)
{
    const struct search *search = context;
    (void)bytes;
    if (object->dlpi_addr != search->base) {
        return 0;
    }
    if (object->dlpi_tls_modid != 0) {
        const struct tls_place first = {object->dlpi_tls_modid, 0};
        (void)tls_address(&first);
    }
    return 1;
}

static int look_at(struct dl_phdr_info *object, size_t bytes, void *context)
{
    struct search *search = context;
    (void)bytes;
    if (object->dlpi_addr != search->base) {
        return 0;
    }
    const struct read_only fixed = read_only_of(object);
    for (unsigned i = 0; i < object->dlpi_phnum && search->rc == 0; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0) {
            search->rc = note_segment(search, header, &fixed);
        } else if (header->p_type == PT_TLS && object->dlpi_tls_data) {
            const uintptr_t first = (uintptr_t)object->dlpi_tls_data;
            search->rc = search->note(search->context, first, first + header->p_memsz);
        }
    }
    return 1;
}

int laxity_image_each_region(
    void *image, int (*note)(void *context, uintptr_t first, uintptr_t end), void *context
)
{
    struct link_map *map = NULL;
    if (dlinfo(image, RTLD_DI_LINKMAP, &map) != 0) {
        return -EINVAL;
    }
    struct search search = {.base = map->l_addr, .note = note, .context = context};
    (void)dl_iterate_phdr(ask_for_thread_locals, &search);
    (void)dl_iterate_phdr(look_at, &search);
    return search.rc;
}
