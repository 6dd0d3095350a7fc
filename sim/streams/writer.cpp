/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "streams/writer.hpp"

#include "harness/mark_table.h"
#include "interface/records.h"
#include "streams/file.hpp"
#include "streams/grammar.hpp"
#include "streams/predictor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <vector>
#include <zstd.h>

namespace laxity {

namespace {

/* The fastest: a program is recorded in the time that it takes to be executed. */
constexpr int COMPRESSION_LEVEL = 1;

struct FreeContext {
    void operator()(ZSTD_CCtx *context) const
    {
        (void)ZSTD_freeCCtx(context);
    }
};

void append_bytes(std::vector<char> &to, const void *data, std::size_t bytes)
{
    if (bytes > 0) {
        const std::size_t at = to.size();
        to.resize(at + bytes);
        std::memcpy(&to[at], data, bytes);
    }
}

} // namespace

StoredWriter::StoredWriter(
    int fd, std::string_view identity, std::string_view label, laxity_sim_storage *storage
)
    : fd_(fd), storage_(storage), at_(sizeof(FileHeader) + label.size()), label_(label)
{
    header_.magic = FILE_MAGIC;
    header_.version = FILE_VERSION;
    header_.label_bytes = static_cast<std::uint32_t>(label.size());
    std::memcpy(
        header_.identity, identity.data(), std::min(identity.size(), sizeof header_.identity)
    );
    part_.at = at_;
}

bool StoredWriter::write(std::span<const std::uint64_t> words)
{
    return std::all_of(words.begin(), words.end(), [this](std::uint64_t word) {
        return put(word);
    });
}

bool StoredWriter::put(std::uint64_t word)
{
    const Part part = grammar_.take(word);
    if (part_.words >= PART_WORDS && (part == Part::Execution || part_.words >= PART_WORDS_MAX) &&
        !end_part()) {
        return false;
    }
    bool is_put = true;
    switch (part) {
    case Part::Execution:
        encoder_.put_execution(word);
        count_execution(word);
        break;
    case Part::Access:
        encoder_.put_access(word);
        is_put = count_access(word);
        break;
    default:
        encoder_.put_literal(word);
        count_other(part);
        if (storage_ != nullptr && (part == Part::Call || part == Part::CallRest)) {
            laxity_sim_storage_take(storage_, word);
        }
    }
    part_.words++;
    header_.words++;
    return is_put;
}

void StoredWriter::count_execution(std::uint64_t word)
{
    header_.records++;
    const auto id = static_cast<std::uint32_t>(word);
    if (id < instructions_.size()) {
        header_.instructions += instructions_[id];
    }
}

void StoredWriter::count_other(Part part)
{
    header_.records += part == Part::Block || part == Part::Call ? 1 : 0;
    if (part != Part::Block && part != Part::BlockRest) {
        return;
    }
    part_.definition_words++;
    const std::size_t id = grammar_.block();
    if (id < Predictor::BLOCKS_MAX) {
        instructions_.resize(std::max(instructions_.size(), id + 1));
        instructions_[id] = static_cast<std::uint16_t>(grammar_.instructions());
    }
}

bool StoredWriter::count_access(std::uint64_t word)
{
    header_.records++;
    const std::uint64_t mark = (word & LAXITY_RECORD_ADDRESS_MASK) - LAXITY_SIM_MARKS_ADDRESS;
    if (mark >= LAXITY_MARK_TABLE_BYTES) {
        header_.accesses++;
        if (storage_ != nullptr && is_in_job_) {
            count_storage(word);
        }
    } else if (mark == LAXITY_MARK_JOB_FINISH) {
        is_in_job_ = false;
    } else if (mark == LAXITY_MARK_JOB_START) {
        if (header_.jobs == JOBS_MAX) {
            return fail("more than " + std::to_string(JOBS_MAX) + " jobs");
        }
        is_in_job_ = true;
        header_.jobs++;
        jobs_.push_back(header_.words);
    }
    return true;
}

void StoredWriter::count_storage(std::uint64_t word)
{
    const std::uint64_t address = word & LAXITY_RECORD_ADDRESS_MASK;
    const auto is = static_cast<std::size_t>(laxity_sim_storage_of(storage_, address));
    FileStorage &counts = header_.storage[is];
    const bool is_store = (word >> LAXITY_RECORD_STORE_SHIFT & 1) != 0;
    counts.loads += is_store ? 0 : 1;
    counts.stores += is_store ? 1 : 0;
    counts.pages += pages_.at(is).insert(address / STORAGE_PAGE_BYTES).second ? 1 : 0;
}

bool StoredWriter::end_part()
{
    if (part_.words == 0) {
        return true;
    }
    const std::vector<std::uint8_t> &tokens = encoder_.finish();
    part_.token_bytes = static_cast<std::uint32_t>(tokens.size());
    if (!append_frame(tokens.data(), tokens.size())) {
        return false;
    }
    part_.bytes = static_cast<std::uint32_t>(at_ - part_.at);
    parts_.push_back(part_);
    part_ = {
        .at = at_,
        .word = header_.words,
        .words = 0,
        .definition_words = 0,
        .bytes = 0,
        .token_bytes = 0
    };
    encoder_.reset();
    return true;
}

bool StoredWriter::finish(std::string_view output)
{
    if (output.size() > OUTPUT_BYTES_MAX) {
        return fail("the program prints more than " + std::to_string(OUTPUT_BYTES_MAX) + " bytes");
    }
    if (!end_part()) {
        return false;
    }
    header_.output_bytes = output.size();
    header_.parts = parts_.size();
    header_.index_at = at_;
    /* How long it becomes is not in itself. */
    std::vector<char> index;
    append_bytes(index, &header_, sizeof header_);
    append_bytes(index, label_.data(), label_.size());
    append_bytes(index, parts_.data(), parts_.size() * sizeof(FilePart));
    append_bytes(index, jobs_.data(), jobs_.size() * sizeof(std::uint64_t));
    append_bytes(index, output.data(), output.size());
    if (!append_frame(index.data(), index.size())) {
        return false;
    }
    header_.index_bytes = at_ - header_.index_at;
    at_ = 0;
    return append(&header_, sizeof header_) && append(label_.data(), label_.size());
}

bool StoredWriter::append_frame(const void *data, std::size_t bytes)
{
    const std::unique_ptr<ZSTD_CCtx, FreeContext> context{ZSTD_createCCtx()};
    frame_.resize(ZSTD_compressBound(bytes));
    if (!context) {
        return fail("no memory");
    }
    (void)ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
    (void)ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    const std::size_t n = ZSTD_compress2(context.get(), frame_.data(), frame_.size(), data, bytes);
    if (ZSTD_isError(n) != 0) {
        return fail(ZSTD_getErrorName(n));
    }
    return append(frame_.data(), n);
}

bool StoredWriter::append(const void *data, std::size_t bytes)
{
    const char *from = static_cast<const char *>(data);
    while (bytes > 0) {
        const ssize_t n = pwrite(fd_, from, bytes, static_cast<off_t>(at_));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return fail(strerrordesc_np(n < 0 ? errno : ENOSPC));
        }
        from += n;
        at_ += static_cast<std::uint64_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool StoredWriter::fail(const std::string &problem)
{
    problem_ = problem;
    return false;
}

} // namespace laxity
