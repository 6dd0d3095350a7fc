// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "trace_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace laxity::workingset::oracle {

namespace {

llvm::Error system_error(const std::string &what)
{
    return llvm::createStringError(std::error_code(errno, std::generic_category()), what);
}

} // namespace

MappedWords::MappedWords(MappedWords &&other) noexcept : words_(std::exchange(other.words_, {})) {}

MappedWords::~MappedWords()
{
    if (!words_.empty()) {
        munmap(words_.data(), words_.size_bytes());
    }
}

llvm::Expected<MappedWords> MappedWords::open_trace(const std::string &path)
{
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return system_error(path);
    }
    struct stat status = {};
    void *map = MAP_FAILED;
    if (fstat(fd, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(uint64_t))) {
        map = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (map == MAP_FAILED) {
        return llvm::createStringError(path + ": no trace in it");
    }
    auto count = static_cast<size_t>(status.st_size) / sizeof(uint64_t);
    MappedWords trace({static_cast<uint64_t *>(map), count});
    uint64_t last = trace.words_.back();
    if (tag_of(last) != LAXITY_TRACE_END || payload_of(last) != count - 1) {
        return llvm::createStringError(
            path + ": the trace breaks off after " + std::to_string(count) +
            " words; the program ended in a way that is not traced"
        );
    }
    return trace;
}

llvm::Expected<MappedWords> MappedWords::make_scratch(const std::string &beside, size_t count)
{
    std::string name = beside + ".XXXXXX";
    int fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) {
        return system_error(name);
    }
    unlink(name.c_str());
    void *map = MAP_FAILED;
    size_t size_bytes = count * sizeof(uint64_t);
    // Room is taken before it is used: a full disk is an error here and a SIGBUS later.
    int failure = posix_fallocate(fd, 0, static_cast<off_t>(size_bytes));
    if (failure == 0) {
        map = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    } else {
        errno = failure;
    }
    int kept_errno = errno;
    close(fd);
    if (map == MAP_FAILED) {
        errno = kept_errno;
        return system_error(name);
    }
    return MappedWords({static_cast<uint64_t *>(map), count});
}

} // namespace laxity::workingset::oracle
