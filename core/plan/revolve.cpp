// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/revolve.h"

#include <algorithm>
#include <limits>

#include "schedule/schedule_builder.h"

namespace remat::core {

namespace {

/// C(n, k) (0 for k > n), or the largest number where that is more.
std::int64_t choose(std::int64_t n, std::int64_t k)
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (k > n)
        return 0;
    k = std::min(k, n - k);
    std::int64_t result = 1;
    for (std::int64_t i = 1; i <= k; ++i) {
        if (result > kMost / (n - k + i))
            return kMost;
        result = result * (n - k + i) / i;
    }
    return result;
}

/// The least r with n <= C(s+r, s): how often a step is run at most, its first run included.
std::int64_t repetitions(std::int64_t n, std::int64_t s)
{
    std::int64_t r = 0;
    while (choose(s + r, s) < n)
        ++r;
    return r;
}

/// The least advance i that attains the minimum of i + p(i, s) + p(n-i, s-1): both parts must keep to their repetitions,
/// C(s+r-2, s) <= i and n-i <= C(s-1+r, s-1).
int bestAdvance(int n, int s)
{
    const std::int64_t r = repetitions(n, s);
    const std::int64_t before = r >= 2 ? choose(s + r - 2, s) : 0;
    return static_cast<int>(std::max<std::int64_t>({1, before, n - choose(s - 1 + r, s - 1)}));
}

class Revolve
{
public:
    explicit Revolve(const PlanProblem &problem)
        : m_blocks(problem.blocks),
          m_stages(static_cast<int>(problem.costs.stages.size())),
          m_builder(m_stages, problem.costs.firstTrainable)
    {
    }

    Schedule run(int snapshots)
    {
        const int before = m_blocks.front().first;
        m_builder.save(0, before - 1);
        reverse(0, static_cast<int>(m_blocks.size()), snapshots);
        m_builder.backward(before - 1, 0);
        return m_builder.take();
    }

private:
    [[nodiscard]] const BlockRange &block(int i) const { return m_blocks[static_cast<std::size_t>(i)]; }

    /// Reverses blocks [begin, end) with `snapshots`, the one at `begin` among them.
    void reverse(int begin, int end, int snapshots)
    {
        if (end - begin == 1)
            return runBlock(begin);
        if (snapshots == 1) {
            for (int last = end - 1; last >= begin; --last) {
                if (last > begin)
                    m_builder.forward(block(begin).first, block(last - 1).last);
                runBlock(last);
            }
            return;
        }
        const int advance = bestAdvance(end - begin, snapshots);
        m_builder.forward(block(begin).first, block(begin + advance - 1).last);
        reverse(begin + advance, end, snapshots - 1);
        reverse(begin, begin + advance, snapshots);
    }

    void runBlock(int i)
    {
        m_builder.save(block(i).first, block(i).last);
        const int after = block(i).last + 1;
        if (!m_turned) {
            m_turned = true;
            m_builder.save(after, m_stages - 1);
            m_builder.loss();
            m_builder.backward(m_stages - 1, after);
        }
        m_builder.backward(block(i).last, block(i).first);
    }

    const std::vector<BlockRange> &m_blocks;
    int m_stages;
    ScheduleBuilder m_builder;
    bool m_turned = false;
};

} // namespace

std::int64_t revolveExtraForwards(std::int64_t n, std::int64_t s)
{
    const std::int64_t r = repetitions(n, s);
    return r * n - choose(s + r, s + 1);
}

Schedule revolveSchedule(const PlanProblem &problem, int snapshots)
{
    return Revolve(problem).run(snapshots);
}

} // namespace remat::core
