// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/why_query.hpp"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <map>

namespace laxity::workingset {

namespace {

constexpr size_t MOST_NAMED = 8;

llvm::Error refuse(const llvm::Twine &message)
{
    return llvm::createStringError("--why: " + message);
}

std::string some_of(const std::vector<std::string> &names)
{
    const size_t shown = std::min(names.size(), MOST_NAMED);
    std::string text = llvm::join(names.begin(), names.begin() + static_cast<long>(shown), ", ");
    return names.size() > shown ? text + ", ..." : text;
}

bool is_in_memory(const Object &object)
{
    return object.kind != ObjectKind::Function && object.kind != ObjectKind::Environment;
}

bool is_called(const Object &object, llvm::StringRef function)
{
    if (object.function == nullptr) {
        return false;
    }
    const llvm::DISubprogram *source = object.function->getSubprogram();
    return object.function->getName() == function ||
           (source != nullptr && source->getName() == function);
}

/* FUNC:VARIABLE or VARIABLE, as the source names them. */
bool is_named(const Object &object, llvm::StringRef name)
{
    const std::string variable = object.variable();
    if (variable.empty()) {
        return false;
    }
    const auto [function, inner] = name.rsplit(':');
    return name == variable || (inner == variable && is_called(object, function));
}

llvm::Expected<unsigned> find_object(const Analysis &analysis, llvm::StringRef name)
{
    const ObjectTable &objects = analysis.objects();
    std::vector<unsigned> exact;
    std::vector<unsigned> named;
    std::vector<std::string> all;
    for (unsigned number = 0; number < objects.size(); number++) {
        const Object &object = objects[number];
        if (!is_in_memory(object)) {
            continue;
        }
        all.push_back(object.name);
        if (object.name == name) {
            exact.push_back(number);
        } else if (is_named(object, name)) {
            named.push_back(number);
        }
    }
    const std::vector<unsigned> &found = exact.empty() ? named : exact;
    if (found.size() == 1) {
        return found.front();
    }
    if (found.empty()) {
        return refuse(
            "no object \"" + name + "\" in memory: there are " +
            (all.empty() ? "none" : some_of(all)) +
            "; objects.csv names all, and with --form o0 every variable is one"
        );
    }
    std::vector<std::string> candidates;
    candidates.reserve(found.size());
    for (const unsigned number : found) {
        candidates.push_back(objects[number].name);
    }
    return refuse("\"" + name + "\" is one of " + some_of(candidates) + "; name one of them");
}

/* Is `wanted` the file, or the end of its path? */
bool is_file(llvm::StringRef file, llvm::StringRef wanted)
{
    return file == wanted ||
           (file.ends_with(wanted) && file.drop_back(wanted.size()).ends_with("/"));
}

using Lines = std::map<std::string, std::map<unsigned, std::vector<const llvm::Instruction *>>>;

/* The instructions of each line, by file; inlined ones also at their calls. */
Lines lines_of(const Analysis &analysis)
{
    Lines lines;
    for (unsigned number = 0; number < analysis.index().size(); number++) {
        const llvm::Instruction &instruction = analysis.index().instruction(number);
        for (const llvm::DILocation *at = instruction.getDebugLoc(); at != nullptr;
             at = at->getInlinedAt()) {
            auto &places = lines[at->getFilename().str()][at->getLine()];
            if (at->getLine() != 0 && (places.empty() || places.back() != &instruction)) {
                places.push_back(&instruction);
            }
        }
    }
    return lines;
}

/* Where the root is, unless all instructions are in one file. */
std::string main_file(const Analysis &analysis, const Lines &lines)
{
    if (lines.size() == 1) {
        return lines.begin()->first;
    }
    const llvm::DISubprogram *root = analysis.root_contexts().front().function->getSubprogram();
    return root == nullptr ? "" : root->getFilename().str();
}

llvm::Expected<std::string>
find_file(const Analysis &analysis, const Lines &lines, llvm::StringRef wanted)
{
    std::vector<std::string> found;
    const std::string main = wanted.empty() ? main_file(analysis, lines) : "";
    for (const auto &[file, places] : lines) {
        if (wanted.empty() ? file == main : is_file(file, wanted)) {
            found.push_back(file);
        }
    }
    if (found.size() == 1) {
        return found.front();
    }
    std::vector<std::string> all = found;
    if (all.empty()) {
        for (const auto &[file, places] : lines) {
            all.push_back(file);
        }
    }
    if (all.empty()) {
        return refuse("the bitcode names no source lines; compile with -g");
    }
    return refuse(
        "the file " + (wanted.empty() ? llvm::Twine("of the line") : "\"" + wanted + "\"") +
        (found.empty() ? " has no instruction" : " is one of several") +
        "; write OBJECT@FILE:LINE with one of " + some_of(all)
    );
}

} // namespace

llvm::Expected<WhyQuery> find_query(const Analysis &analysis, llvm::StringRef text)
{
    const auto [name, place] = text.rsplit('@');
    auto [file, number] = place.rsplit(':');
    if (number.empty()) {
        std::swap(file, number);
    }
    WhyQuery query;
    if (name.empty() || number.getAsInteger(10, query.line) || query.line == 0) {
        return refuse("\"" + text + "\" is not OBJECT@LINE or OBJECT@FILE:LINE; such as table@12");
    }
    llvm::Expected<unsigned> object = find_object(analysis, name);
    if (!object) {
        return object.takeError();
    }
    query.object = *object;
    Lines lines = lines_of(analysis);
    llvm::Expected<std::string> found = find_file(analysis, lines, file);
    if (!found) {
        return found.takeError();
    }
    query.file = std::move(*found);
    auto &of_file = lines[query.file];
    of_file.erase(0);
    const auto at = of_file.find(query.line);
    if (at != of_file.end()) {
        query.places = at->second;
        return query;
    }
    std::vector<std::string> near;
    for (auto next = of_file.upper_bound(query.line);
         next != of_file.end() && near.size() + 1 < MOST_NAMED;
         ++next) {
        near.push_back(std::to_string(next->first));
    }
    return refuse(
        query.file + ":" + llvm::Twine(query.line) + " has no instruction; " +
        (near.empty() ? "the last line that has is " +
                            std::to_string(of_file.empty() ? 0 : of_file.rbegin()->first)
                      : "the next lines that have: " + llvm::join(near, ", "))
    );
}

} // namespace laxity::workingset
