/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A stored stream (*.lxs) as a file, numbers in the byte order of the machine:
 *
 *   header    FileHeader, then its label
 *   parts     each a zstd frame with a checksum: tokens (predictor.hpp), with no knowledge of the
 *             parts before
 *   index     a zstd frame with a checksum: the header once more and the label, a FilePart for each
 *             part, then for each job the number of the word with the mark of its start,
 *             and last what the program has printed
 *
 * The header is written last: without it a file is none.
 */
#ifndef LAXITY_SIM_FILE_HPP
#define LAXITY_SIM_FILE_HPP

#include "interface/storage.h"

#include <cstddef>
#include <cstdint>

namespace laxity {

constexpr std::uint64_t FILE_MAGIC = 0x1a6d617274737861; /* "axstram", 0x1a on little-endian ones */
constexpr std::uint32_t FILE_VERSION = 2;
constexpr std::size_t IDENTITY_BYTES = 64;
constexpr std::uint32_t LABEL_BYTES_MAX = 65536;
constexpr std::uint64_t OUTPUT_BYTES_MAX = std::uint64_t{1} << 20U;
/* What a job needs to be found is small, but a file does not get to choose how much we take. */
constexpr std::uint64_t JOBS_MAX = std::uint64_t{1} << 22U;
/* A part ends with the execution behind so many words, so that seeking is quick and what is known
 * of the program pays; at the latest behind PART_WORDS_MAX. */
constexpr std::uint64_t PART_WORDS = std::uint64_t{1} << 20U;
constexpr std::uint64_t PART_WORDS_MAX = PART_WORDS + (std::uint64_t{1} << 16U);
/* No word takes more: one alone among others needs a token, a number and itself. */
constexpr std::uint64_t TOKEN_BYTES_MAX = 11;

/* What jobs do with memory of a class. */
struct FileStorage {
    std::uint64_t loads;
    std::uint64_t stores;
    std::uint64_t pages; /* of STORAGE_PAGE_BYTES, each counted once */
};

constexpr std::uint64_t STORAGE_PAGE_BYTES = 4096;

struct FileHeader {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t label_bytes;
    char identity[IDENTITY_BYTES]; /* what was recorded, as hexadecimal digits */
    std::uint64_t words;
    std::uint64_t records;
    std::uint64_t accesses; /* of data; marks are none */
    std::uint64_t instructions;
    std::uint64_t jobs;
    std::uint64_t parts;
    std::uint64_t output_bytes; /* that the program has printed */
    std::uint64_t index_at;
    std::uint64_t index_bytes;
    FileStorage storage[LAXITY_SIM_STORAGE_CLASSES];
};

struct FilePart {
    std::uint64_t at;
    std::uint64_t word; /* how many are before it */
    std::uint64_t words;
    std::uint64_t definition_words;
    std::uint32_t bytes;
    std::uint32_t token_bytes;
};

static_assert(sizeof(FileHeader) == 296 && sizeof(FilePart) == 40, "they lie in files");

} // namespace laxity

#endif
