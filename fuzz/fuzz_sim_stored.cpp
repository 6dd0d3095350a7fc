/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * By the first byte: any bytes as a file; as the tokens of a part, which checksums keep from most
 * files; or as words, which must be read as they were written.
 */
#include "streams/decoder.hpp"
#include "streams/file.hpp"
#include "streams/stored.hpp"
#include "streams/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace {

using Words = std::vector<std::uint64_t>;

void demand(bool is_so)
{
    if (!is_so) {
        std::abort();
    }
}

Words read_all(laxity::Stored &stored, std::size_t piece)
{
    Words words;
    Words some(piece);
    for (std::size_t n = stored.read(some.data(), piece); n > 0;) {
        words.insert(words.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
        n = stored.read(some.data(), piece);
    }
    return words;
}

void take_file(int fd, std::span<const std::uint8_t> data)
{
    laxity::Stored stored;
    demand(write(fd, data.data(), data.size()) == static_cast<ssize_t>(data.size()));
    if (stored.open(("/proc/self/fd/" + std::to_string(fd)).c_str())) {
        const std::size_t n = read_all(stored, laxity::Decoder::ROOM_WORDS).size();
        demand(n == stored.header().words || !stored.problem().empty());
        (void)stored.seek(stored.header().jobs / 2);
    } else {
        demand(!stored.problem().empty());
    }
}

void take_tokens(std::span<const std::uint8_t> data)
{
    /* Of this length exactly, so that what reads behind it is seen. */
    std::vector<std::uint8_t> tokens(data.size() + laxity::Decoder::PADDING_BYTES);
    std::copy(data.begin(), data.end(), tokens.begin());
    Words words(laxity::Decoder::ROOM_WORDS);
    laxity::Decoder decoder;
    decoder.begin(std::span{tokens.data(), data.size()});
    while (decoder.decode(words.data(), words.size()) > 0) {
    }
}

void take_words(int fd, std::span<const std::uint8_t> data)
{
    Words words(data.size() / sizeof(std::uint64_t));
    if (!words.empty()) {
        std::memcpy(words.data(), data.data(), words.size() * sizeof words[0]);
    }
    laxity::StoredWriter writer{fd, std::string(laxity::IDENTITY_BYTES, '0'), "any", nullptr};
    demand(writer.write(words) && writer.finish("printed"));
    laxity::Stored stored;
    demand(stored.open(("/proc/self/fd/" + std::to_string(fd)).c_str()));
    demand(read_all(stored, 1 + data.size() % 2000) == words && stored.problem().empty());
    for (std::uint64_t job = 0; job < std::min<std::uint64_t>(stored.header().jobs, 3); job++) {
        demand(stored.seek(job));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const std::span<const std::uint8_t> rest{data + 1, size - 1};
    const int fd = memfd_create("stored", 0);
    demand(fd >= 0);
    switch (data[0] % 3) {
    case 0:
        take_file(fd, rest);
        break;
    case 1:
        take_tokens(rest);
        break;
    default:
        take_words(fd, rest);
    }
    (void)close(fd);
    return 0;
}
