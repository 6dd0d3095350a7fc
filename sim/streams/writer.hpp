/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Writes a stored stream. */
#ifndef LAXITY_SIM_WRITER_HPP
#define LAXITY_SIM_WRITER_HPP

#include "interface/storage.h"
#include "streams/encoder.hpp"
#include "streams/file.hpp"
#include "streams/grammar.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace laxity {

class StoredWriter {
  public:
    /* Into an empty file, which stays the caller's, as does the storage of the program; identity:
     * 64 digits. Without a storage no class of memory is told. */
    StoredWriter(
        int fd, std::string_view identity, std::string_view label, laxity_sim_storage *storage
    );

    /* All of these: whether it could be done; else problem() says why not, and all is lost. */
    bool write(std::span<const std::uint64_t> words);
    bool finish(std::string_view output);

    /* What has been written; complete when all has been finished. */
    [[nodiscard]] const FileHeader &header() const
    {
        return header_;
    }
    [[nodiscard]] std::uint64_t bytes() const
    {
        return at_;
    }
    [[nodiscard]] const std::string &problem() const
    {
        return problem_;
    }

  private:
    bool put(std::uint64_t word);
    void count_execution(std::uint64_t word);
    void count_other(Part part);
    bool count_access(std::uint64_t word);
    void count_storage(std::uint64_t word);
    bool end_part();
    bool append(const void *data, std::size_t bytes);
    bool append_frame(const void *data, std::size_t bytes);
    bool fail(const std::string &problem);

    using Pages = std::unordered_set<std::uint64_t>;

    int fd_;
    laxity_sim_storage *storage_;
    bool is_in_job_ = false;
    std::array<Pages, LAXITY_SIM_STORAGE_CLASSES> pages_; /* that jobs have used */
    std::uint64_t at_;
    FileHeader header_{};
    std::string label_;
    Grammar grammar_;
    Encoder encoder_;
    FilePart part_{};
    std::vector<FilePart> parts_;
    std::vector<std::uint64_t> jobs_; /* numbers of the words with the marks of their starts */
    std::vector<std::uint16_t> instructions_; /* by block */
    std::vector<char> frame_;
    std::string problem_;
};

} // namespace laxity

#endif
