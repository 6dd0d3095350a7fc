// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Throws what nobody catches: a process ends by abort().
#include <stdexcept>

int main()
{
    throw std::runtime_error("nobody catches this");
}
