// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

class Table {
  public:
    explicit Table(int size);
    [[nodiscard]] int size() const;
    [[nodiscard]] int at(int index) const;

  private:
    std::vector<int> values;
};
