/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "streams/stored.hpp"

#include "streams/decoder.hpp"
#include "streams/file.hpp"
#include "streams/grammar.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <span>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zstd.h>

namespace laxity {

namespace {

constexpr std::uint64_t TOKENS_MAX = PART_WORDS_MAX * TOKEN_BYTES_MAX;
/* Of an empty one, with its checksum, at least. */
constexpr std::uint64_t FRAME_BYTES_MIN = 9;

std::uint64_t turned(std::uint64_t word)
{
    std::array<char, sizeof word> bytes{};
    std::memcpy(bytes.data(), &word, sizeof word);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<std::uint64_t>(bytes);
}

} // namespace

void Stored::Free::operator()(ZSTD_DCtx_s *context) const
{
    (void)ZSTD_freeDCtx(context);
}

Stored::~Stored()
{
    if (fd_ >= 0) {
        (void)close(fd_);
    }
}

bool Stored::open(const char *path)
{
    struct stat status = {};
    fd_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0 || fstat(fd_, &status) != 0) {
        return fail(strerrordesc_np(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return fail("is no file");
    }
    context_.reset(ZSTD_createDCtx());
    if (!context_) {
        return fail("no memory");
    }
    return read_header(static_cast<std::uint64_t>(status.st_size)) && read_index() && check_index();
}

bool Stored::read_header(std::uint64_t file_bytes)
{
    if (file_bytes < sizeof header_) {
        return fail("is no stored stream");
    }
    if (!fetch(0, &header_, sizeof header_)) {
        return false;
    }
    if (header_.magic == turned(FILE_MAGIC)) {
        return fail("was recorded on a machine of another byte order");
    }
    if (header_.magic != FILE_MAGIC) {
        return fail("is no stored stream, or was not recorded to its end");
    }
    if (header_.version != FILE_VERSION) {
        return fail(
            "is of version " + std::to_string(header_.version) + ", not " +
            std::to_string(FILE_VERSION)
        );
    }
    const std::uint64_t begin = sizeof header_ + header_.label_bytes;
    if (header_.label_bytes > LABEL_BYTES_MAX || header_.jobs > JOBS_MAX ||
        header_.output_bytes > OUTPUT_BYTES_MAX || header_.index_at < begin ||
        header_.index_bytes > UINT64_MAX - header_.index_at) {
        return fail("its header is damaged");
    }
    const std::uint64_t end = header_.index_at + header_.index_bytes;
    if (file_bytes != end) {
        return fail(
            file_bytes < end ? "is cut: it has " + std::to_string(file_bytes) + " bytes of " +
                                   std::to_string(end)
                             : "goes on behind its end"
        );
    }
    if (header_.parts > (header_.index_at - begin) / FRAME_BYTES_MIN) {
        return fail("its header is damaged");
    }
    return true;
}

bool Stored::read_index()
{
    const std::size_t expected = sizeof header_ + header_.label_bytes +
                                 header_.parts * sizeof(FilePart) +
                                 header_.jobs * sizeof(std::uint64_t) + header_.output_bytes;
    if (!expand(header_.index_at, header_.index_bytes, expected)) {
        return fail("its index is damaged");
    }
    FileHeader copy{};
    std::memcpy(&copy, expanded_.data(), sizeof copy);
    copy.index_bytes = header_.index_bytes;
    label_.resize(header_.label_bytes);
    const std::uint8_t *at = expanded_.data() + sizeof header_;
    if (std::memcmp(&copy, &header_, sizeof copy) != 0 ||
        !fetch(sizeof header_, label_.data(), label_.size()) ||
        std::memcmp(at, label_.data(), label_.size()) != 0) {
        return fail("its header is damaged");
    }
    at += label_.size();
    parts_.resize(header_.parts);
    jobs_.resize(header_.jobs);
    if (!parts_.empty()) {
        std::memcpy(parts_.data(), at, parts_.size() * sizeof parts_[0]);
        at += parts_.size() * sizeof parts_[0];
    }
    if (!jobs_.empty()) {
        std::memcpy(jobs_.data(), at, jobs_.size() * sizeof jobs_[0]);
        at += jobs_.size() * sizeof jobs_[0];
    }
    output_.assign(reinterpret_cast<const char *>(at), header_.output_bytes);
    return true;
}

/* They follow each other without a gap, and no job begins behind the end. */
bool Stored::check_index()
{
    std::uint64_t at = sizeof header_ + header_.label_bytes;
    std::uint64_t word = 0;
    for (const FilePart &part : parts_) {
        if (part.at != at || part.word != word || part.words == 0 || part.words > PART_WORDS_MAX ||
            part.token_bytes > TOKENS_MAX || part.bytes > header_.index_at - at) {
            return fail("its index is damaged");
        }
        at += part.bytes;
        word += part.words;
    }
    if (at != header_.index_at || word != header_.words ||
        !std::is_sorted(jobs_.begin(), jobs_.end()) || (!jobs_.empty() && jobs_.back() >= word)) {
        return fail("its index is damaged");
    }
    return true;
}

std::size_t Stored::read(std::uint64_t *words, std::size_t n)
{
    if (!ready_.empty()) {
        const std::size_t n_ready = std::min(n, ready_.size());
        const auto end = ready_.begin() + static_cast<std::ptrdiff_t>(n_ready);
        std::copy(ready_.begin(), end, words);
        ready_.erase(ready_.begin(), end);
        return n_ready;
    }
    if (n >= Decoder::ROOM_WORDS) {
        return decode(words, n);
    }
    std::array<std::uint64_t, Decoder::ROOM_WORDS> some{};
    const std::size_t n_some = decode(some.data(), some.size());
    ready_.assign(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n_some));
    return n_some > 0 && n > 0 ? read(words, n) : 0;
}

std::size_t Stored::decode(std::uint64_t *words, std::size_t n)
{
    if (!problem_.empty()) {
        return 0;
    }
    while (words_left_ == 0) {
        if (next_part_ == parts_.size() || !begin_part(next_part_)) {
            return 0;
        }
    }
    const std::size_t got = decoder_.decode(words, n);
    if (got == 0 || got > words_left_) {
        (void)fail("its part " + std::to_string(next_part_) + " is damaged");
        return 0;
    }
    words_left_ -= got;
    return got;
}

bool Stored::check()
{
    next_part_ = parts_.size();
    for (std::size_t part = 0; part < parts_.size(); part++) {
        if (!expand_part(part)) {
            return false;
        }
    }
    return true;
}

bool Stored::expand_part(std::size_t part)
{
    const FilePart &it = parts_[part];
    if (expand(it.at, it.bytes, it.token_bytes)) {
        return true;
    }
    return fail(
        "its part " + std::to_string(part + 1) + " of " + std::to_string(parts_.size()) +
        " is damaged"
    );
}

bool Stored::begin_part(std::size_t part)
{
    const FilePart &it = parts_[part];
    next_part_ = part + 1;
    if (!expand_part(part)) {
        return false;
    }
    decoder_.begin(std::span{expanded_.data(), it.token_bytes});
    words_left_ = it.words;
    return true;
}

bool Stored::seek(std::uint64_t job)
{
    ready_.clear();
    words_left_ = 0;
    if (!problem_.empty() || job >= jobs_.size()) {
        return false;
    }
    const std::uint64_t word = jobs_[job];
    const auto behind = std::upper_bound(
        parts_.begin(),
        parts_.end(),
        word,
        [](std::uint64_t value, const FilePart &part) { return value < part.word; }
    );
    const auto part = static_cast<std::size_t>(behind - parts_.begin()) - 1;
    for (std::size_t i = 0; i < part; i++) {
        if (parts_[i].definition_words > 0 && !add_definitions(i)) {
            return false;
        }
    }
    return begin_part(part) && skip_to(word - parts_[part].word);
}

/* Those of a whole part. */
bool Stored::add_definitions(std::size_t part)
{
    Grammar grammar;
    std::array<std::uint64_t, Decoder::ROOM_WORDS> some{};
    if (!begin_part(part)) {
        return false;
    }
    while (words_left_ > 0) {
        const std::size_t n = decode(some.data(), some.size());
        if (n == 0) {
            return false;
        }
        for (const std::uint64_t word : std::span{some.data(), n}) {
            const Part is = grammar.take(word);
            if (is == Part::Block || is == Part::BlockRest) {
                ready_.push_back(word);
            }
        }
    }
    return true;
}

/* Over so many words of the part, of which definitions and the last execution stay. */
bool Stored::skip_to(std::uint64_t words)
{
    Grammar grammar;
    std::array<std::uint64_t, Decoder::ROOM_WORDS> some{};
    std::uint64_t at = 0;
    std::optional<std::uint64_t> execution;
    while (at <= words) {
        const std::size_t n = decode(some.data(), some.size());
        if (n == 0) {
            return false;
        }
        for (const std::uint64_t word : std::span{some.data(), n}) {
            const Part is = grammar.take(word);
            if (at == words && execution) {
                ready_.push_back(*execution);
            }
            if (at >= words || is == Part::Block || is == Part::BlockRest) {
                ready_.push_back(word);
            } else if (is == Part::Execution) {
                execution = word;
            }
            at++;
        }
    }
    return true;
}

bool Stored::fetch(std::uint64_t at, void *to, std::size_t bytes)
{
    char *into = static_cast<char *>(to);
    while (bytes > 0) {
        const ssize_t n = pread(fd_, into, bytes, static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return fail(n < 0 ? strerrordesc_np(errno) : "was cut while it was read");
        }
        into += n;
        at += static_cast<std::uint64_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

/* Whether a frame says of itself that it is as long as expected, and is. */
bool Stored::expand(std::uint64_t at, std::size_t bytes, std::size_t expanded_bytes)
{
    if (bytes > ZSTD_compressBound(expanded_bytes)) {
        return false; /* a hole of a damaged file would fill the memory */
    }
    frame_.resize(bytes);
    if (!fetch(at, frame_.data(), bytes) ||
        ZSTD_getFrameContentSize(frame_.data(), bytes) != expanded_bytes) {
        return false;
    }
    expanded_.resize(expanded_bytes + Decoder::PADDING_BYTES);
    return ZSTD_decompressDCtx(
               context_.get(), expanded_.data(), expanded_bytes, frame_.data(), bytes
           ) == expanded_bytes;
}

/* The first cause stays. */
bool Stored::fail(const std::string &problem)
{
    if (problem_.empty()) {
        problem_ = problem;
    }
    return false;
}

} // namespace laxity
