// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <functional>

#include "model/workload.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

struct Case
{
    ModelConfig model = remat::tests::tinyModel(4);
    Workload workload;
};

} // namespace

Q_DECLARE_METATYPE(std::function<void(Case &)>)

class tst_workload_rules : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void combinations_thatCannotBe_areRefusedWithTheReason_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<std::function<void(Case &)>>("change");
        const auto row
            = [](const char *part, std::function<void(Case &)> change) { QTest::newRow(part) << part << change; };
        row("fp16 needs a CUDA", [](Case &c) { c.workload.dtype = Dtype::fp16; });
        row("mixed-fp16 needs a CUDA", [](Case &c) { c.workload.dtype = Dtype::mixedFp16; });
        row("efficient exists on CUDA", [](Case &c) { c.workload.attention = AttentionKernel::efficient; });
        row("flash has no dropout", [](Case &c) {
            c.workload.attention = AttentionKernel::flash;
            c.workload.attentionDropout = 0.1;
        });
        row("flash cannot cap", [](Case &c) {
            c.workload.attention = AttentionKernel::flash;
            c.model.attentionSoftcap = 50.0;
        });
        const auto inBackward = [&row](const char *part, std::function<void(Case &)> change) {
            row(part, [change](Case &c) {
                c.workload.updateInBackward = true;
                c.model.tiedHead = false;
                change(c);
            });
        };
        inBackward("parts of the loss", [](Case &c) { c.workload.lossChunks = 4; });
        inBackward("scaled loss", [](Case &c) {
            c.workload.device = "cuda:0";
            c.workload.dtype = Dtype::mixedFp16;
        });
        inBackward("there is no optimizer", [](Case &c) { c.workload.optimizer = OptimizerKind::none; });
        inBackward("share their weight", [](Case &c) { c.model.tiedHead = true; });
        inBackward("clipping needs", [](Case &c) { c.workload.clip = 1.0; });
        inBackward("2 micro-batches", [](Case &c) { c.workload.microBatches = 2; });
        inBackward("--grads kept", [](Case &c) { c.workload.gradients = GradientRule::kept; });
        row("last 5 blocks", [](Case &c) { c.workload.train = {TrainKind::last, 5}; });
        row("rank 9", [](Case &c) { c.workload.train = {TrainKind::lora, 9}; });
        row("257 chunks", [](Case &c) { c.workload.lossChunks = 257; });
        row("one row a sequence", [](Case &c) {
            c.workload.lossChunks = 2;
            c.model.head = HeadKind::sequence;
        });
        row("always 64 tokens", [](Case &c) {
            c.model.head = HeadKind::image;
            c.workload.seq = 32;
        });
        row("learns from images", [](Case &c) {
            c.model.head = HeadKind::image;
            c.workload.data = "book.txt";
        });
    }
    void combinations_thatCannotBe_areRefusedWithTheReason()
    {
        QFETCH(QString, part);
        QFETCH(std::function<void(Case &)>, change);
        Case each;
        change(each);
        const auto resolved = resolveWorkload(each.workload, each.model, 1);
        QVERIFY(!resolved);
        QVERIFY2(resolved.error().message.find(part.toStdString()) != std::string::npos,
                 resolved.error().message.c_str());
        QVERIFY(resolved.error().message.ends_with('.'));
    }

    void combinations_thatCan_areTaken()
    {
        Case each;
        each.workload.updateInBackward = true;
        each.workload.train = {TrainKind::lora, 8}; // the tied weight is frozen
        each.workload.lossChunks = 256;
        each.workload.dtype = Dtype::mixedBf16;
        each.workload.attention = AttentionKernel::flash;
        auto resolved = resolveWorkload(each.workload, each.model, 1);
        QVERIFY2(resolved, resolved ? "" : resolved.error().message.c_str());
        each.workload.updateInBackward = false;
        each.workload.device = "cuda:0";
        each.workload.dtype = Dtype::mixedFp16;
        each.workload.attention = AttentionKernel::efficient;
        QVERIFY(resolveWorkload(each.workload, each.model, 1));
    }

    void image_hasOneLength_andCappedScoresTheExplicitKernel()
    {
        Case each;
        each.model.head = HeadKind::image;
        each.model.positions = 577;
        each.model.attentionSoftcap = 50.0;
        const auto resolved = resolveWorkload(each.workload, each.model, 1);
        QVERIFY(resolved);
        QCOMPARE(resolved->seq, 577);
        QVERIFY(resolved->attention == AttentionKernel::math);
    }

    void chainShape_knowsTheFrozenPart()
    {
        Case each;
        QVERIFY(chainShape(each.model, each.workload) == ChainShape(4, 2, 0));
        each.workload.train = {TrainKind::last, 1};
        QVERIFY(chainShape(each.model, each.workload) == ChainShape(4, 2, 7));
        each.workload.train = {TrainKind::last, 4};
        QVERIFY(chainShape(each.model, each.workload) == ChainShape(4, 2, 1));
        each.workload.train = {TrainKind::lora, 2};
        each.model.parallelResidual = true;
        QVERIFY(chainShape(each.model, each.workload) == ChainShape(4, 1, 1));
        QCOMPARE(stageName(stagesOf(each.model), 2), std::string("layer 1 · block"));
    }

    void texts_readBackOrAreRefused()
    {
        Workload w;
        for (const char *text : {"none", "sgd", "sgd:0.5", "adamw", "adamw-per-tensor"}) {
            QVERIFY(parseOptimizer(text, w));
            QCOMPARE(optimizerText(w), std::string(text));
        }
        for (const char *text : {"all", "last:3", "lora:16"}) {
            QVERIFY(parseTrain(text, w));
            QCOMPARE(trainText(w), std::string(text));
        }
        for (const char *text : {"full", "chunked:8"}) {
            QVERIFY(parseLoss(text, w));
            QCOMPARE(lossText(w), std::string(text));
        }
        for (const char *text : {"fp32", "bf16", "fp16", "mixed-bf16", "mixed-fp16"})
            QVERIFY(toString(*dtypeFrom(text)) == text);
        for (const char *text : {"math", "sdpa", "flash", "efficient"})
            QVERIFY(toString(*attentionFrom(text)) == text);
        for (const char *bad : {"", "last", "last:", "last:0", "last:-1", "last:x", "lora:1.5", "lora:99999999999"})
            QVERIFY2(!parseTrain(bad, w), bad);
        for (const char *bad : {"", "chunked", "chunked:0", "chunked:x", "half"})
            QVERIFY2(!parseLoss(bad, w), bad);
        QVERIFY(dtypeFrom("fp8").error().message.find("mixed-bf16") != std::string::npos);
        QVERIFY(!attentionFrom("flash2"));
    }

    void json_carriesTheNewKeys_andOldDocumentsRead()
    {
        Workload w;
        w.train = {TrainKind::lora, 4};
        w.lossChunks = 3;
        w.updateInBackward = true;
        w.dtype = Dtype::mixedFp16;
        w.attention = AttentionKernel::efficient;
        w.optimizer = OptimizerKind::adamwPerTensor;
        const Json json = toJson(w);
        QVERIFY(json["train"] == "lora:4");
        QVERIFY(json["loss"] == "chunked:3");
        QVERIFY(json["update_in_backward"] == true);
        const auto back = workloadFromJson(json);
        QVERIFY(back);
        QCOMPARE(toJson(*back).dump(), json.dump());
        Json old = toJson(Workload());
        for (const char *key : {"train", "loss", "update_in_backward"})
            old.erase(key);
        const auto read = workloadFromJson(old);
        QVERIFY(read);
        QCOMPARE(toJson(*read).dump(), toJson(Workload()).dump());
    }

    void elementSizes_mixedKeepsTheWeights()
    {
        QCOMPARE(computeElementSize(Dtype::fp32), Bytes(4));
        QCOMPARE(computeElementSize(Dtype::mixedBf16), Bytes(2));
        QCOMPARE(weightElementSize(Dtype::mixedBf16), Bytes(4));
        QCOMPARE(weightElementSize(Dtype::fp16), Bytes(2));
        QVERIFY(isMixed(Dtype::mixedFp16) && !isMixed(Dtype::bf16));
    }
};

REMAT_TEST(tst_workload_rules);
#include "tst_workload_rules.moc"
