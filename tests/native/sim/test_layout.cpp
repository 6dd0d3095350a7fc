/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What is read of an executable, against files whose segments are written here. */
#include "../test.h"
#include "interface/layout.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace {

struct Segment {
    std::uint64_t address;
    std::uint64_t bytes; /* in memory */
    std::uint32_t flags;
    std::uint32_t type = PT_LOAD;
};

using Segments = std::vector<Segment>;
using Layout = laxity_sim_layout;

constexpr std::uint32_t READ = PF_R;
constexpr std::uint32_t CODE = PF_R | PF_X;
constexpr std::uint32_t WRITE = PF_R | PF_W;

/* Numbers in the byte order of a file. */
template <bool IS_BIG, typename T, typename V> void set(T &to, V value)
{
    to = static_cast<T>(value);
    if (IS_BIG) {
        auto *const bytes = reinterpret_cast<unsigned char *>(&to);
        std::reverse(bytes, bytes + sizeof to);
    }
}

template <typename Header, typename Entry, bool IS_BIG>
std::string file_of(const Segments &segments, std::uint16_t type = ET_EXEC)
{
    Header header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = std::is_same_v<Header, Elf64_Ehdr> ? ELFCLASS64 : ELFCLASS32;
    header.e_ident[EI_DATA] = IS_BIG ? ELFDATA2MSB : ELFDATA2LSB;
    set<IS_BIG>(header.e_type, type);
    set<IS_BIG>(header.e_phoff, sizeof header);
    set<IS_BIG>(header.e_phnum, segments.size());
    set<IS_BIG>(header.e_phentsize, sizeof(Entry));
    std::string file(reinterpret_cast<const char *>(&header), sizeof header);
    for (const Segment &segment : segments) {
        Entry entry{};
        set<IS_BIG>(entry.p_type, segment.type);
        set<IS_BIG>(entry.p_vaddr, segment.address);
        set<IS_BIG>(entry.p_memsz, segment.bytes);
        set<IS_BIG>(entry.p_flags, segment.flags);
        file.append(reinterpret_cast<const char *>(&entry), sizeof entry);
    }
    return file;
}

std::string little(const Segments &segments)
{
    return file_of<Elf32_Ehdr, Elf32_Phdr, false>(segments);
}

int read_file(const std::string &content, Layout &layout, laxity_error &error)
{
    const int fd = memfd_create("program", 0);
    CHECK_EQUAL(write(fd, content.data(), content.size()), content.size());
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const int rc = laxity_sim_layout_read(path.c_str(), &layout, &error);
    (void)close(fd);
    return rc;
}

Layout layout_of(const std::string &content)
{
    Layout layout{};
    laxity_error error{};
    CHECK_EQUAL(read_file(content, layout, error), 0);
    return layout;
}

void check_shared(const Layout &layout, const std::vector<laxity_sim_range> &expected)
{
    CHECK_EQUAL(layout.n_shared, expected.size());
    for (std::size_t i = 0; i < expected.size(); i++) {
        CHECK_EQUAL(layout.shared[i].begin, expected[i].begin);
        CHECK_EQUAL(layout.shared[i].end, expected[i].end);
    }
}

void segments_that_are_only_read_are_shared_in_whole_pages()
{
    /* As Debian's linker lays out a program for ARM: code to 0x68200, data from 0x69fbc on, so that
     * page 0x68000 is code's alone. */
    check_shared(
        layout_of(
            little({{0x10000, 0x58200, CODE}, {0x69fbc, 0xa31c, WRITE}, {0x60000000, 0x304, WRITE}})
        ),
        {{0x10000, 0x69000}}
    );
    /* Neither begin nor end is one of a page: 0x12345 lies in page 0x12000, 0x13344 in 0x13000. */
    check_shared(layout_of(little({{0x12345, 0x1000, READ}})), {{0x12000, 0x14000}});
    check_shared(layout_of(little({{0x12345, 0xcbb, READ}})), {{0x12000, 0x13000}});
}

void page_that_a_written_segment_touches_is_not_shared()
{
    /* Data begins in the page that code ends in, and ends in the page that constants begin in. */
    check_shared(
        layout_of(
            little({{0x10000, 0x2800, CODE}, {0x12f00, 0x1101, WRITE}, {0x14800, 0x1000, READ}})
        ),
        {{0x10000, 0x12000}, {0x15000, 0x16000}}
    );
    /* One byte less, and page 0x14000 is that of constants alone. */
    check_shared(
        layout_of(
            little({{0x10000, 0x2800, CODE}, {0x12f00, 0x1100, WRITE}, {0x14800, 0x1000, READ}})
        ),
        {{0x10000, 0x12000}, {0x14000, 0x16000}}
    );
    /* What is written lies within what is read. */
    check_shared(
        layout_of(little({{0x10000, 0x5000, READ}, {0x12000, 1, WRITE}})),
        {{0x10000, 0x12000}, {0x13000, 0x15000}}
    );
}

void neighbours_are_one_range_in_whatever_order()
{
    /* As for x86-64: headers, code, constants; nothing between the first two. */
    const Segments segments{
        {0x47b000, 0x27bfb, READ},
        {0x401000, 0x79871, CODE},
        {0x400000, 0x550, READ},
        {0x4a35d8, 0xf8e8, WRITE},
    };
    /* 0x401000 + 0x79871 = 0x47a871, and 0x47b000 + 0x27bfb = 0x4a2bfb. */
    check_shared(
        layout_of(file_of<Elf64_Ehdr, Elf64_Phdr, false>(segments)), {{0x400000, 0x4a3000}}
    );
}

void every_byte_order_and_class_is_read()
{
    const Segments segments{{0x10000000, 0xa039c, CODE}, {0x100bcc8c, 0xb5f0, WRITE}};
    const std::vector<laxity_sim_range> expected{{0x10000000, 0x100a1000}};
    check_shared(layout_of(file_of<Elf32_Ehdr, Elf32_Phdr, true>(segments)), expected);
    check_shared(layout_of(file_of<Elf64_Ehdr, Elf64_Phdr, true>(segments)), expected);
    check_shared(layout_of(file_of<Elf64_Ehdr, Elf64_Phdr, false>(segments)), expected);
    check_shared(layout_of(little(segments)), expected);
}

void what_lies_nowhere_or_anywhere_is_not_shared()
{
    const std::uint64_t end = std::uint64_t{1} << 47U;
    check_shared(layout_of(little({{0x10000, 0x1000, READ, PT_NOTE}, {0x20000, 0, READ}})), {});
    check_shared(
        layout_of(file_of<Elf64_Ehdr, Elf64_Phdr, false>(
            {{end - 4096, 4096, READ}, {end - 8192, 8193, READ}, {UINT64_MAX, 2, READ}}
        )),
        {{end - 4096, end}}
    );
    /* Where a program of that type lies its loader decides. */
    check_shared(
        layout_of(file_of<Elf32_Ehdr, Elf32_Phdr, false>({{0x10000, 0x1000, READ}}, ET_DYN)), {}
    );
}

void same_content_has_the_same_digest_and_another_one_another()
{
    const std::string one = little({{0x10000, 0x1000, CODE}});
    const Layout first = layout_of(one);
    const Layout again = layout_of(one);
    const Layout other = layout_of(one + "build id");
    CHECK(std::equal(std::begin(first.digest), std::end(first.digest), again.digest));
    CHECK(!std::equal(std::begin(first.digest), std::end(first.digest), other.digest));
}

void what_is_no_program_is_refused()
{
    Layout layout{};
    laxity_error error{};
    const std::string whole = little({{0x10000, 0x1000, CODE}});
    CHECK_EQUAL(read_file("", layout, error), -1);
    CHECK_EQUAL(read_file("#!/bin/sh\n", layout, error), -1);
    CHECK_EQUAL(read_file(whole.substr(0, whole.size() - 1), layout, error), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    laxity_error none{};
    CHECK_EQUAL(laxity_sim_layout_read("/nowhere", &layout, &none), -1);
    CHECK_EQUAL(none.exit_code, LAXITY_EXIT_LACKING);
}

void more_ranges_than_there_is_room_for_are_refused()
{
    Segments segments;
    for (std::uint64_t i = 0; i < LAXITY_SIM_SHARED_MAX; i++) {
        segments.push_back({0x10000 + i * 0x2000, 1, READ});
    }
    CHECK_EQUAL(layout_of(little(segments)).n_shared, LAXITY_SIM_SHARED_MAX);
    segments.push_back({0x100000, 1, READ});
    Layout layout{};
    laxity_error error{};
    CHECK_EQUAL(read_file(little(segments), layout, error), -1);
    CHECK(std::strstr(error.text, "in 17 places, more than 16") != nullptr);
}

} // namespace

int main()
{
    RUN(segments_that_are_only_read_are_shared_in_whole_pages);
    RUN(page_that_a_written_segment_touches_is_not_shared);
    RUN(neighbours_are_one_range_in_whatever_order);
    RUN(every_byte_order_and_class_is_read);
    RUN(what_lies_nowhere_or_anywhere_is_not_shared);
    RUN(same_content_has_the_same_digest_and_another_one_another);
    RUN(what_is_no_program_is_refused);
    RUN(more_ranges_than_there_is_room_for_are_refused);
    return test_exit_code();
}
