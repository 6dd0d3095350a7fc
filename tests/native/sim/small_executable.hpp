/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* An executable that is written here, for the processor of Debian's armhf. */
#ifndef LAXITY_TEST_SMALL_EXECUTABLE_HPP
#define LAXITY_TEST_SMALL_EXECUTABLE_HPP

#include "../test.h"
#include "interface/storage.h"

#include <cstring>
#include <elf.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

/* Code with its constants behind it; data from 0x20000 to 0x20100, behind it 0x80 bytes of zeroes.
 * What each thread has of its own takes no place there, and a symbol table is not loaded. */
inline std::string executable()
{
    const std::vector<Elf32_Shdr> sections{
        {},
        {0, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x20100, 0, 0x80, 0, 0, 0, 0},
        {0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x10000, 0, 0x1000, 0, 0, 0, 0},
        {0, SHT_PROGBITS, SHF_ALLOC, 0x11000, 0, 0x234, 0, 0, 0, 0},
        {0, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x20000, 0, 0x100, 0, 0, 0, 0},
        {0, SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 0x20180, 0, 0x40, 0, 0, 0, 0},
        {0, SHT_PROGBITS, 0, 0x20200, 0, 0x40, 0, 0, 0, 0},
    };
    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = EM_ARM;
    header.e_shoff = sizeof header;
    header.e_shnum = static_cast<Elf32_Half>(sections.size());
    header.e_shentsize = sizeof sections[0];
    std::string file(reinterpret_cast<const char *>(&header), sizeof header);
    file.append(
        reinterpret_cast<const char *>(sections.data()), sections.size() * sizeof sections[0]
    );
    return file;
}

/* The storage of that executable; the caller closes it. */
inline laxity_sim_storage *open_storage()
{
    const std::string content = executable();
    const int fd = memfd_create("program", 0);
    CHECK_EQUAL(write(fd, content.data(), content.size()), content.size());
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    laxity_error error{};
    laxity_sim_storage *storage = nullptr;
    CHECK_EQUAL(laxity_sim_storage_open(path.c_str(), &storage, &error), 0);
    (void)close(fd);
    return storage;
}

#endif
