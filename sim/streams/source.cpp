/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/engine.h"
#include "interface/stored.h"
#include "streams/file.hpp"
#include "streams/stored.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

extern "C" {
#include "base/error.h"
}

namespace {

constexpr std::size_t REPEATED_WORDS = 16384;

/* What has been read, so that it is known again. */
struct Seen {
    std::uint64_t words = 0;
    std::uint64_t mixed = 0;

    void add(std::span<const std::uint64_t> read)
    {
        constexpr std::uint64_t FACTOR = 0x9e3779b97f4a7c15; /* odd, as good as random */
        constexpr int TURN = 27;
        for (const std::uint64_t word : read) {
            mixed = std::rotl((mixed ^ word) * FACTOR, TURN);
        }
        words += read.size();
    }
};

struct StoredSource {
    laxity::Stored stored;
    std::string path;
    std::string why;
    laxity_sim_beginning beginning{}; /* without a start: all of the program is stored */
    laxity_sim_source executed{};     /* once the file has ended */
    Seen seen;
    std::string failure;
};

/* Reads what the file had, and forgets it. False: the program has ended, or done something else. */
bool repeat(StoredSource &source)
{
    std::vector<std::uint64_t> words(REPEATED_WORDS);
    Seen again;
    while (again.words < source.seen.words) {
        const std::uint64_t left = source.seen.words - again.words;
        const std::size_t n = source.executed.read(
            source.executed.context, words.data(), std::min<std::uint64_t>(left, words.size())
        );
        if (n == 0) {
            return false;
        }
        again.add(std::span{words}.first(n));
    }
    if (again.mixed != source.seen.mixed) {
        source.failure =
            "it does not do again what was recorded; remove its stream (laxity sim streams)";
        return false;
    }
    return true;
}

/* False: nothing is executed. */
bool execute(StoredSource &source)
{
    const laxity_sim_beginning &beginning = source.beginning;
    laxity_error error{};
    if (beginning.start(beginning.context, beginning.index, &source.executed, &error) != 0) {
        source.failure = error.text;
        return false;
    }
    return repeat(source);
}

std::size_t read_words(void *context, std::uint64_t *words, std::size_t n)
{
    auto &source = *static_cast<StoredSource *>(context);
    if (source.executed.read == nullptr) {
        const std::size_t got = source.stored.read(words, n);
        if (source.beginning.start == nullptr || !source.stored.problem().empty()) {
            return got;
        }
        source.seen.add({words, got});
        if (got > 0 || !execute(source)) {
            return got;
        }
    }
    return source.failure.empty() ? source.executed.read(source.executed.context, words, n) : 0;
}

/* The path is often that of a link; laxity sim streams knows a stream by its identity. */
std::string tell_problem(const StoredSource &source)
{
    constexpr std::size_t SHOWN_DIGITS = 12;
    const laxity::FileHeader &header = source.stored.header();
    const std::string name = header.magic == laxity::FILE_MAGIC
                                 ? std::string{header.identity, SHOWN_DIGITS}
                                 : source.path.substr(source.path.rfind('/') + 1);
    return "stream " + name + ": " + source.stored.problem() + "; remove it (laxity sim streams)";
}

/* Only programs that ended in order are recorded whole. */
const char *tell_why(void *context)
{
    auto *const source = static_cast<StoredSource *>(context);
    if (!source->failure.empty()) {
        return source->failure.c_str();
    }
    if (source->executed.read != nullptr) {
        return source->executed.why(source->executed.context);
    }
    source->why = source->stored.problem().empty() ? "the program ended by itself, exit code 0"
                                                   : tell_problem(*source);
    return source->why.c_str();
}

} // namespace

extern "C" int laxity_sim_stored_open(
    const char *path, struct laxity_sim_source *out_source, struct laxity_error *error
)
{
    auto source = std::make_unique<StoredSource>();
    source->path = path;
    if (!source->stored.open(path)) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "%s", tell_problem(*source).c_str());
    }
    *out_source = {.context = source.release(), .read = read_words, .why = tell_why};
    return 0;
}

extern "C" void
laxity_sim_stored_continue(struct laxity_sim_source *source, struct laxity_sim_beginning beginning)
{
    static_cast<StoredSource *>(source->context)->beginning = beginning;
}

extern "C" void laxity_sim_stored_close(struct laxity_sim_source *source)
{
    if (source->read != read_words) {
        return;
    }
    const std::unique_ptr<StoredSource> gone{static_cast<StoredSource *>(source->context)};
    *source = {};
}

extern "C" const char *
laxity_sim_stored_output(const struct laxity_sim_source *source, std::size_t *out_bytes)
{
    if (source->read != read_words) {
        return nullptr;
    }
    const std::string &output = static_cast<StoredSource *>(source->context)->stored.output();
    *out_bytes = output.size();
    return output.data();
}
