/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Reads a stored stream, which is trusted in nothing. */
#ifndef LAXITY_SIM_STORED_HPP
#define LAXITY_SIM_STORED_HPP

#include "streams/decoder.hpp"
#include "streams/file.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

struct ZSTD_DCtx_s;

namespace laxity {

class Stored {
  public:
    Stored() = default;
    Stored(const Stored &) = delete;
    Stored &operator=(const Stored &) = delete;
    Stored(Stored &&) = delete;
    Stored &operator=(Stored &&) = delete;
    ~Stored();

    /* Whether it is a whole stored stream; else problem() says what is wrong. */
    bool open(const char *path);

    /* Whether all of it is as it was written; nothing is read behind that. */
    bool check();

    /* Reads at most n words. 0: there is no other, or problem() says why. */
    std::size_t read(std::uint64_t *words, std::size_t n);

    /*
     * Goes to the k-th job: what is read then are the definitions of all blocks until there, and
     * the execution that the start of the job is in, from the mark on. Whether that could be done.
     */
    bool seek(std::uint64_t job);

    [[nodiscard]] const FileHeader &header() const
    {
        return header_;
    }
    [[nodiscard]] const std::string &label() const
    {
        return label_;
    }
    /* What the program has printed until its end. */
    [[nodiscard]] const std::string &output() const
    {
        return output_;
    }
    [[nodiscard]] const std::string &problem() const
    {
        return problem_;
    }

  private:
    struct Free {
        void operator()(ZSTD_DCtx_s *context) const;
    };

    bool read_header(std::uint64_t file_bytes);
    bool read_index();
    bool check_index();
    bool expand_part(std::size_t part);
    bool begin_part(std::size_t part);
    bool add_definitions(std::size_t part);
    bool skip_to(std::uint64_t word);
    std::size_t decode(std::uint64_t *words, std::size_t n);
    bool fetch(std::uint64_t at, void *to, std::size_t bytes);
    bool expand(std::uint64_t at, std::size_t bytes, std::size_t expanded_bytes);
    bool fail(const std::string &problem);

    int fd_ = -1;
    FileHeader header_{};
    std::string label_;
    std::string output_;
    std::vector<FilePart> parts_;
    std::vector<std::uint64_t> jobs_;
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::vector<char> frame_;
    std::vector<std::uint8_t> expanded_;
    Decoder decoder_;
    std::size_t next_part_ = 0;
    std::uint64_t words_left_ = 0;    /* of the part that is decoded */
    std::deque<std::uint64_t> ready_; /* to be read before what is decoded next */
    std::string problem_;
};

} // namespace laxity

#endif
