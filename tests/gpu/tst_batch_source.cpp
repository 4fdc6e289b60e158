// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QTemporaryDir>

#include "gpu/support/engine_fixture.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

std::vector<std::int64_t> values(const at::Tensor &tensor)
{
    const auto *data = tensor.const_data_ptr<std::int64_t>();
    return {data, data + tensor.numel()};
}

QString writeFile(const QTemporaryDir &folder, const QByteArray &bytes)
{
    const QString path = folder.filePath("data.txt");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(path));
    return path;
}

core::ModelConfig modelOf(std::int64_t vocabulary, core::HeadKind head = core::HeadKind::causal)
{
    core::ModelConfig model;
    model.vocabulary = vocabulary;
    model.head = head;
    model.classes = 3;
    model.patchSize = 2;
    model.channels = 3;
    return model;
}

} // namespace

class tst_batch_source : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { static_cast<void>(engine()); }

    void random_dependsOnSeedAndStepAlone()
    {
        Workload workload = tinyWorkload(tinyGpt(1));
        workload.microBatches = 2;
        const auto fill = [&](std::uint64_t seed, std::int64_t step, int microBatch) {
            workload.seed = seed;
            auto source = gpu::BatchSource::open(workload, modelOf(96), at::kCPU);
            source->fill(step);
            return values(source->inputs(microBatch));
        };
        QVERIFY(fill(1, 0, 0) == fill(1, 0, 0));
        QVERIFY(fill(1, 0, 0) != fill(2, 0, 0));
        QVERIFY(fill(1, 0, 0) != fill(1, 1, 0));
        QVERIFY(fill(1, 0, 0) != fill(1, 0, 1));
        for (const std::int64_t token : fill(3, 5, 1))
            QVERIFY(token >= 0 && token < 96);
    }

    void targets_areTheNextTokens_ofTheFilesBytes()
    {
        const QTemporaryDir folder;
        QByteArray text;
        for (int i = 0; i < 200; ++i)
            text.append(char(i)); // the byte after i is i + 1
        Workload workload = tinyWorkload(tinyGpt(1));
        workload.data = writeFile(folder, text).toStdString();
        auto source = gpu::BatchSource::open(workload, modelOf(256), at::kCPU);
        QVERIFY(source);
        source->fill(0);
        const auto tokens = values(source->inputs(0));
        const auto targets = values(source->targets(0));
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            QCOMPARE(targets[i], tokens[i] + 1);
            if (i % std::size_t(workload.seq) != 0)
                QCOMPARE(tokens[i], tokens[i - 1] + 1);
        }
    }

    void file_missingOrShort_isRefusedWithItsName()
    {
        const QTemporaryDir folder;
        Workload workload = tinyWorkload(tinyGpt(1));
        workload.data = folder.filePath("nothing.txt").toStdString();
        const auto missing = gpu::BatchSource::open(workload, modelOf(256), at::kCPU);
        QVERIFY(!missing && missing.error().message.find("nothing.txt") != std::string::npos);
        workload.data = writeFile(folder, "short").toStdString();
        const auto tooShort = gpu::BatchSource::open(workload, modelOf(256), at::kCPU);
        QVERIFY(!tooShort && tooShort.error().message.find("5 bytes") != std::string::npos);
    }
};

REMAT_TEST(tst_batch_source);
#include "tst_batch_source.moc"
