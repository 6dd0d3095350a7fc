// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#ifndef LAXITY_WORKINGSET_TRACE_FILE_HPP
#define LAXITY_WORKINGSET_TRACE_FILE_HPP

#include "llvm/Support/Error.h"
#include "runtime/trace_words.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace laxity::workingset::oracle {

[[nodiscard]] inline laxity_trace_tag tag_of(uint64_t word)
{
    return static_cast<laxity_trace_tag>(word >> LAXITY_TRACE_TAG_SHIFT);
}

[[nodiscard]] inline uint64_t payload_of(uint64_t word)
{
    return word & LAXITY_TRACE_PAYLOAD;
}

[[nodiscard]] inline uint32_t upper_payload(uint64_t word)
{
    return static_cast<uint32_t>(payload_of(word) >> 32);
}

[[nodiscard]] inline uint32_t lower_payload(uint64_t word)
{
    return static_cast<uint32_t>(word);
}

// Words in a file that is mapped, so that a trace may be larger than the machine's memory.
class MappedWords {
  public:
    // A trace as the program left it. Fails where it does not end as a whole trace does.
    [[nodiscard]] static llvm::Expected<MappedWords> open_trace(const std::string &path);
    // Room for as many words, in a file without a name beside the trace.
    [[nodiscard]] static llvm::Expected<MappedWords>
    make_scratch(const std::string &beside, size_t count);

    MappedWords(MappedWords &&other) noexcept;
    MappedWords &operator=(MappedWords &&) = delete;
    ~MappedWords();

    [[nodiscard]] std::span<uint64_t> words() const
    {
        return words_;
    }

  private:
    explicit MappedWords(std::span<uint64_t> words) : words_(words) {}

    std::span<uint64_t> words_;
};

} // namespace laxity::workingset::oracle

#endif
