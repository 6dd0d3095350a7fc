// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Keeps what it has seen in a container that is constructed once: every job finds more in it.
#include <cstdio>
#include <string>
#include <vector>

namespace {

std::vector<std::string> seen;

} // namespace

int main()
{
    seen.emplace_back("a job that is too long for the string itself");
    std::printf("%zu\n", seen.size());
    return 0;
}
