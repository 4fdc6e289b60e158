// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/knapsack.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace remat::core {

namespace {

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

/// Best total cost with `left` slots, for items from the last one down; each row is one more item.
class KnapsackTable
{
public:
    KnapsackTable(const std::vector<std::vector<KnapsackChoice>> &items, Bytes capacity, int slots, Rounding rounding)
        : m_items(items),
          m_rounding(rounding),
          m_unit(std::max<Bytes>((capacity + slots - 1) / slots, 1)),
          m_slots(rounding == Rounding::up ? capacity / m_unit : (capacity + m_unit - 1) / m_unit)
    {
        m_best.assign(static_cast<std::size_t>(m_slots) + 1, 0);
        for (const auto &choices : items)
            add(choices);
    }

    std::optional<KnapsackSelection> select() const
    {
        if (m_best.back() == kNever)
            return {};
        KnapsackSelection selection{std::vector<std::size_t>(m_items.size()), m_best.back()};
        Bytes left = m_slots;
        for (std::size_t i = m_items.size(); i-- > 0;) {
            const std::size_t chosen = m_chosen[i][static_cast<std::size_t>(left)];
            selection.chosen[i] = chosen;
            left -= weight(m_items[i][chosen]);
        }
        return selection;
    }

private:
    [[nodiscard]] Bytes weight(const KnapsackChoice &choice) const
    {
        return (choice.weight + (m_rounding == Rounding::up ? m_unit - 1 : 0)) / m_unit;
    }

    void add(const std::vector<KnapsackChoice> &choices)
    {
        std::vector<Nanoseconds> best(m_best.size(), kNever);
        std::vector<std::uint16_t> chosen(m_best.size(), 0);
        for (std::size_t k = 0; k < choices.size(); ++k) {
            const Bytes own = weight(choices[k]);
            for (Bytes left = own; left <= m_slots; ++left) {
                const Nanoseconds rest = m_best[static_cast<std::size_t>(left - own)];
                if (rest == kNever || rest + choices[k].cost >= best[static_cast<std::size_t>(left)])
                    continue;
                best[static_cast<std::size_t>(left)] = rest + choices[k].cost;
                chosen[static_cast<std::size_t>(left)] = static_cast<std::uint16_t>(k);
            }
        }
        m_best = std::move(best);
        m_chosen.push_back(std::move(chosen));
    }

    const std::vector<std::vector<KnapsackChoice>> &m_items;
    Rounding m_rounding;
    Bytes m_unit;
    Bytes m_slots;
    std::vector<Nanoseconds> m_best;
    std::vector<std::vector<std::uint16_t>> m_chosen;
};

} // namespace

std::optional<KnapsackSelection> solveKnapsack(const std::vector<std::vector<KnapsackChoice>> &items, Bytes capacity,
                                               int slots, Rounding rounding)
{
    if (capacity < 0)
        return {};
    return KnapsackTable(items, capacity, slots, rounding).select();
}

} // namespace remat::core
