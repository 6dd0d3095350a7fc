/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "programs/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    LOADER_BYTES = 256
};

/* What two programs must share. */
struct loaded_by {
    unsigned char identity[EI_NIDENT];
    uint16_t machine;
    char loader[LOADER_BYTES];
};

static bool read_at(int fd, void *data, size_t bytes, uint64_t offset)
{
    return pread(fd, data, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Headers of our own class alone: another one is another machine. */
static bool read_loader(int fd, struct loaded_by *out)
{
    ElfW(Ehdr) header;
    if (!read_at(fd, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return false;
    }
    memset(out, 0, sizeof *out);
    memcpy(out->identity, header.e_ident, EI_OSABI);
    out->machine = header.e_machine;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment)) {
            return false;
        }
        if (segment.p_type == PT_INTERP) {
            return segment.p_filesz < sizeof out->loader &&
                   read_at(fd, out->loader, segment.p_filesz, segment.p_offset);
        }
    }
    return false;
}

static bool read_path(const char *path, struct loaded_by *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool is_read = read_loader(fd, out);
    (void)close(fd);
    return is_read;
}

bool laxity_has_our_loader(const char *path)
{
    struct loaded_by ours;
    struct loaded_by theirs;
    return read_path("/proc/self/exe", &ours) && read_path(path, &theirs) &&
           memcmp(&ours, &theirs, sizeof ours) == 0;
}
