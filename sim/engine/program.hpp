/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A program in an emulator, and the stream of what it does. */
#ifndef LAXITY_SIM_PROGRAM_HPP
#define LAXITY_SIM_PROGRAM_HPP

#include "engine/reader.hpp"

#include <string>
#include <sys/types.h>

namespace laxity {

class Program {
  public:
    Program() = default;
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    Program(Program &&) = delete;
    Program &operator=(Program &&) = delete;
    ~Program();

    /* 0, or an errno: it could not be started. */
    int start(char *const *argv);

    [[nodiscard]] Reader &reader()
    {
        return reader_;
    }

    /* Why the stream has ended: what is wrong with it, or how the program died. */
    std::string end();

  private:
    int fd_ = -1;
    pid_t pid_ = 0;
    Reader reader_{-1};
};

} // namespace laxity

#endif
