/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Classes of memory, of an executable that is written here, for the processor of Debian's armhf. */
#include "../test.h"
#include "interface/records.h"
#include "interface/storage.h"
#include "small_executable.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace {

/* <asm/unistd.h> of 32-bit Arm. */
constexpr std::uint64_t BRK = 45;
constexpr std::uint64_t MREMAP = 163;
constexpr std::uint64_t MMAP2 = 192;
constexpr std::uint64_t CLOSE = 6;
constexpr std::uint64_t FAILED = static_cast<std::uint64_t>(-12);

struct Storage {
    Storage() = default;
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;
    ~Storage()
    {
        laxity_sim_storage_close(it);
    }

    void
    call(std::uint64_t number, std::array<std::uint64_t, LAXITY_RECORD_ARGUMENTS> arguments = {})
    {
        laxity_sim_storage_take(it, std::uint64_t{LAXITY_SIM_CALL} << 62U | number);
        for (const std::uint64_t argument : arguments) {
            laxity_sim_storage_take(it, argument);
        }
    }
    void answer(std::uint64_t number, std::uint64_t value)
    {
        const std::uint64_t kind = std::uint64_t{LAXITY_SIM_CALL} << 62U;
        laxity_sim_storage_take(it, kind | LAXITY_RECORD_RETURN | number);
        laxity_sim_storage_take(it, value);
    }
    [[nodiscard]] laxity_sim_storage_class of(std::uint64_t address) const
    {
        return laxity_sim_storage_of(it, address);
    }

    laxity_sim_storage *it = open_storage();
};

void sections_of_the_executable_have_their_classes_to_the_byte()
{
    const Storage storage;
    CHECK_EQUAL(storage.of(0xffff), LAXITY_SIM_STACK);
    CHECK_EQUAL(storage.of(0x10000), LAXITY_SIM_CODE);
    CHECK_EQUAL(storage.of(0x10fff), LAXITY_SIM_CODE);
    CHECK_EQUAL(storage.of(0x11000), LAXITY_SIM_CONSTANTS);
    CHECK_EQUAL(storage.of(0x11233), LAXITY_SIM_CONSTANTS);
    CHECK_EQUAL(storage.of(0x11234), LAXITY_SIM_STACK);
    CHECK_EQUAL(storage.of(0x20000), LAXITY_SIM_DATA);
    CHECK_EQUAL(storage.of(0x20100), LAXITY_SIM_BSS);
    CHECK_EQUAL(storage.of(0x2017f), LAXITY_SIM_BSS);
    CHECK_EQUAL(storage.of(0x20180), LAXITY_SIM_STACK);
    CHECK_EQUAL(storage.of(0x20200), LAXITY_SIM_STACK);
}

void heap_grows_from_the_first_break()
{
    Storage storage;
    storage.call(BRK);
    storage.answer(BRK, 0x21000);
    CHECK_EQUAL(storage.of(0x21000), LAXITY_SIM_STACK);
    storage.call(BRK, {0x21800});
    storage.answer(BRK, 0x21800);
    CHECK_EQUAL(storage.of(0x20fff), LAXITY_SIM_STACK);
    CHECK_EQUAL(storage.of(0x21000), LAXITY_SIM_HEAP);
    CHECK_EQUAL(storage.of(0x217ff), LAXITY_SIM_HEAP);
    CHECK_EQUAL(storage.of(0x21800), LAXITY_SIM_STACK);
    storage.call(BRK, {0x30000});
    storage.answer(BRK, 0x30000);
    CHECK_EQUAL(storage.of(0x2ffff), LAXITY_SIM_HEAP);
}

void what_is_mapped_is_heap_in_whole_pages_unless_it_failed()
{
    Storage storage;
    storage.call(MMAP2, {0, 0x1001});
    storage.answer(MMAP2, 0x40000000);
    CHECK_EQUAL(storage.of(0x40001fff), LAXITY_SIM_HEAP);
    CHECK_EQUAL(storage.of(0x40002000), LAXITY_SIM_STACK);
    /* Below it, and then joined with it. */
    storage.call(MMAP2, {0, 0x2000});
    storage.answer(MMAP2, 0x3fffe000);
    CHECK_EQUAL(storage.of(0x3fffdfff), LAXITY_SIM_STACK);
    CHECK_EQUAL(storage.of(0x3fffe000), LAXITY_SIM_HEAP);
    CHECK_EQUAL(storage.of(0x40001fff), LAXITY_SIM_HEAP);
    storage.call(MMAP2, {0, 0x5000});
    storage.answer(MMAP2, FAILED);
    CHECK_EQUAL(storage.of(0xfffff000), LAXITY_SIM_STACK);
    /* The address of a program of 32 bits, as a number with a sign. */
    storage.call(MREMAP, {0x40000000, 0x1000, 0x3000});
    storage.answer(MREMAP, UINT64_C(0xffffffff90000000));
    CHECK_EQUAL(storage.of(0x90002fff), LAXITY_SIM_HEAP);
    CHECK_EQUAL(storage.of(0x90003000), LAXITY_SIM_STACK);
}

void calls_that_map_nothing_change_nothing()
{
    Storage storage;
    storage.call(CLOSE, {3, 0x1000, 0x1000});
    CHECK_EQUAL(storage.of(0), LAXITY_SIM_STACK);
    storage.call(BRK);
    storage.answer(BRK, 0x21000);
    storage.answer(BRK, 0x20000);
    CHECK_EQUAL(storage.of(0x20fff), LAXITY_SIM_STACK);
}

void what_is_no_program_is_refused()
{
    laxity_sim_storage *none = nullptr;
    laxity_error error{};
    CHECK_EQUAL(laxity_sim_storage_open("/dev/null", &none, &error), -1);
    CHECK(none == nullptr);
}

} // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (std::string_view{argv[i]} == "armhf") {
            RUN(sections_of_the_executable_have_their_classes_to_the_byte);
            RUN(heap_grows_from_the_first_break);
            RUN(what_is_mapped_is_heap_in_whole_pages_unless_it_failed);
            RUN(calls_that_map_nothing_change_nothing);
        }
    }
    RUN(what_is_no_program_is_refused);
    return test_exit_code();
}
