/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/engine.h"
#include "interface/stored.h"
#include "streams/file.hpp"
#include "streams/stored.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

extern "C" {
#include "base/error.h"
}

namespace {

struct StoredSource {
    laxity::Stored stored;
    std::string path;
    std::string why;
};

std::size_t read_words(void *context, std::uint64_t *words, std::size_t n)
{
    return static_cast<StoredSource *>(context)->stored.read(words, n);
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

/* Only programs that ended in order are recorded. */
const char *tell_why(void *context)
{
    auto *const source = static_cast<StoredSource *>(context);
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
