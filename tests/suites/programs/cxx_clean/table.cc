// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "table.hpp"

Table::Table(int size)
{
    for (int index = 0; index < size; index++) {
        values.push_back(index * index);
    }
}

int Table::size() const
{
    return static_cast<int>(values.size());
}

int Table::at(int index) const
{
    return values[static_cast<unsigned>(index)];
}
