// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/annotations.hpp"

#include "analysis/byte_runs.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>

namespace laxity::workingset {

namespace {

namespace json = llvm::json;

llvm::Error wrong(llvm::StringRef where, const char *what)
{
    return llvm::createStringError("\"" + where.str() + "\" " + what);
}

llvm::Expected<uint64_t> read_count(llvm::StringRef where, const json::Value &value)
{
    const std::optional<int64_t> count = value.getAsInteger();
    if (!count || *count < 1 || *count >= MAX_SPAN_BYTES) {
        return wrong(where, "is no whole number of at least 1 and less than 2^40");
    }
    return static_cast<uint64_t>(*count);
}

llvm::Error read_recursion(const json::Object &functions, Annotations &out)
{
    for (const auto &[name, value] : functions) {
        llvm::Expected<uint64_t> activations = read_count(name, value);
        if (!activations) {
            return activations.takeError();
        }
        out.recursion[name.str()] = *activations;
    }
    return llvm::Error::success();
}

llvm::Error read_bound(llvm::StringRef object, const json::Object &fields, ObjectBound &out)
{
    for (const auto &[key, value] : fields) {
        llvm::Expected<uint64_t> count = read_count(object, value);
        if (!count) {
            return count.takeError();
        }
        if (key != "instances" && key != "bytes") {
            return wrong(key, "is unknown");
        }
        (key == "bytes" ? out.bytes : out.instances) = *count;
    }
    return llvm::Error::success();
}

llvm::Error read_objects(const json::Object &objects, Annotations &out)
{
    for (const auto &[name, value] : objects) {
        const json::Object *fields = value.getAsObject();
        if (fields == nullptr) {
            return wrong(name, "is no object");
        }
        if (llvm::Error problem = read_bound(name, *fields, out.objects[name.str()])) {
            return problem;
        }
    }
    return llvm::Error::success();
}

llvm::Error read_names(
    llvm::StringRef key, const json::Array &names, std::optional<std::vector<std::string>> &out
)
{
    out.emplace();
    for (const json::Value &value : names) {
        const std::optional<llvm::StringRef> name = value.getAsString();
        if (!name) {
            return wrong(key, "holds something that is no name");
        }
        out->push_back(name->str());
    }
    return llvm::Error::success();
}

llvm::Error read_buffers(const json::Object &buffers, Annotations &out)
{
    for (const auto &[name, value] : buffers) {
        const auto use =
            llvm::StringSwitch<std::optional<DeviceUse>>(value.getAsString().value_or(""))
                .Case("reads", DeviceUse::Reads)
                .Case("writes", DeviceUse::Writes)
                .Case("both", DeviceUse::Both)
                .Default(std::nullopt);
        if (!use) {
            return wrong(name, "is neither \"reads\", \"writes\" nor \"both\"");
        }
        out.buffers[name.str()] = *use;
    }
    return llvm::Error::success();
}

llvm::Error read_member(llvm::StringRef key, const json::Value &value, Annotations &out)
{
    const json::Object *fields = value.getAsObject();
    if (key == "recursion" && fields != nullptr) {
        return read_recursion(*fields, out);
    }
    if (key == "objects" && fields != nullptr) {
        return read_objects(*fields, out);
    }
    if (key == "buffers" && fields != nullptr) {
        return read_buffers(*fields, out);
    }
    if ((key == "shared" || key == "registers") && value.getAsArray() != nullptr) {
        return read_names(key, *value.getAsArray(), key == "shared" ? out.shared : out.registers);
    }
    return wrong(key, "is unknown, or of another type");
}

llvm::Expected<Annotations> read_document(llvm::StringRef text)
{
    llvm::Expected<json::Value> document = json::parse(text);
    if (!document) {
        return document.takeError();
    }
    const json::Object *members = document->getAsObject();
    if (members == nullptr) {
        return llvm::createStringError("no JSON object");
    }
    Annotations annotations;
    for (const auto &[key, value] : *members) {
        if (llvm::Error problem = read_member(key, value, annotations)) {
            return problem;
        }
    }
    return annotations;
}

} // namespace

llvm::Expected<Annotations> read_annotations(const std::string &path)
{
    const auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!text) {
        return llvm::createStringError(
            text.getError(), "read " + path + ": " + text.getError().message()
        );
    }
    llvm::Expected<Annotations> annotations = read_document((*text)->getBuffer());
    if (!annotations) {
        return llvm::createStringError(
            "read " + path + ": " + llvm::toString(annotations.takeError())
        );
    }
    return annotations;
}

} // namespace laxity::workingset
