// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "memory/free_space.h"

#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::gpu;

class tst_free_space : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void state_countsFreeBlocks_andJoinsOnlyNeighbours()
    {
        const AllocatorState state = stateOf({
            {{100, false}, {40, true}, {60, true}, {10, false}, {30, true}},
            {{70, true}}, // the end of one segment and the start of the next are no neighbours
            {{500, false}},
        });
        QCOMPARE(state.reserved, Bytes(810));
        QCOMPARE(state.free, Bytes(200));
        QCOMPARE(state.largestFree, Bytes(100));
        QCOMPARE(state.fragmentation(), 0.5);
    }

    void state_withNothing_isZeroAndNotUnknown()
    {
        const AllocatorState empty = stateOf({});
        QCOMPARE(empty.reserved, Bytes(0));
        QCOMPARE(empty.largestFree, Bytes(0));
        QCOMPARE(empty.fragmentation(), 0.0);
        QCOMPARE(stateOf({{{8, true}}}).fragmentation(), 0.0); // one piece is not in pieces
    }

    void text_saysWhatAUserNeeds()
    {
        constexpr Bytes kMiB = 1 << 20;
        QCOMPARE(
            freeSpaceText({1024 * kMiB, 200 * kMiB, 50 * kMiB}),
            std::string(" The allocator had reserved 1.00 GiB, 200 MiB of it free, the largest free block 50.0 MiB "
                        "(fragmentation 0.75)."));
        QCOMPARE(freeSpaceText({kMiB, 0, 0}), std::string(" The allocator had reserved 1.00 MiB, none of it free."));
        QVERIFY(freeSpaceText({}).empty());
    }
};

REMAT_TEST(tst_free_space);
#include "tst_free_space.moc"
