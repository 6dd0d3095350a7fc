// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// C++ as it is written: an object that is constructed before main, containers, an exception that is
// caught, and a buffer of its own in front of standard output, which the end of the process writes.
#include "table.hpp"

#include <iostream>
#include <memory>
#include <stdexcept>

namespace {

const Table squares(100);

int checked(int index)
{
    if (index >= squares.size()) {
        throw std::out_of_range("beyond the table");
    }
    return squares.at(index);
}

} // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    const auto sum = std::make_unique<int>(0);
    int refused = 0;
    for (int index = 0; index < 110; index++) {
        try {
            *sum += checked(index);
        } catch (const std::out_of_range &) {
            refused++;
        }
    }
    std::cout << *sum << ' ' << refused << '\n';
    return 0;
}
