// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>
#include <functional>
#include <limits>

#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "model/workload.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

ModelConfig configFile(const char *name)
{
    auto model = readModelConfig(std::string(REMAT_TEST_DATA "/configs/") + name);
    if (!model)
        qFatal("%s", model.error().message.c_str());
    return std::move(model).value();
}

} // namespace

class tst_workload : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void resolve_fillsInDefaults()
    {
        const auto small = resolveWorkload({}, configFile("nanogpt_small.json"), 3);
        QVERIFY(small);
        QCOMPARE(small->seq, 128);
        QCOMPARE(small->threads, 3);
        QCOMPARE(small->dropout, 0.1);
        QCOMPARE(small->attentionDropout, 0.1);
        QCOMPARE(resolveWorkload({}, configFile("llama_8b.json"), 1)->seq, 256);

        ModelConfig different = configFile("nanogpt_small.json");
        different.embeddingDropout = 0.3;
        QVERIFY(resolveWorkload({}, different, 1)->dropout < 0.0); // no single number says what the config says
    }

    void resolve_refusesWhatCannotBe_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<std::function<void(Workload &)>>("change");
        const auto row
            = [](const char *part, std::function<void(Workload &)> change) { QTest::newRow(part) << part << change; };
        row("batch of 0", [](Workload &w) { w.batch = 0; });
        row("sequence length 129", [](Workload &w) { w.seq = 129; });
        row("sequence length -1", [](Workload &w) { w.seq = -1; });
        row("micro-batches is 0", [](Workload &w) { w.microBatches = 0; });
        row("threads is -1", [](Workload &w) { w.threads = -1; });
        row("memory budget is negative", [](Workload &w) { w.memoryBudget = -1; });
        row("dropout must", [](Workload &w) { w.dropout = 1.0; });
        row("momentum of sgd", [](Workload &w) { w.momentum = std::nan(""); });
        row("gradient norm", [](Workload &w) { w.clip = std::numeric_limits<double>::infinity(); });
        row("device 'gpu'", [](Workload &w) { w.device = "gpu"; });
        row("device 'cuda:'", [](Workload &w) { w.device = "cuda:"; });
        row("device 'cuda:99999'", [](Workload &w) { w.device = "cuda:99999"; });
        row("data source", [](Workload &w) { w.data.clear(); });
    }
    void resolve_refusesWhatCannotBe()
    {
        QFETCH(QString, part);
        QFETCH(std::function<void(Workload &)>, change);
        Workload workload;
        change(workload);
        const auto resolved = resolveWorkload(workload, configFile("nanogpt_small.json"), 1);
        QVERIFY(!resolved);
        QCOMPARE(resolved.error().code, ErrorCode::usage);
        QVERIFY2(resolved.error().message.find(part.toStdString()) != std::string::npos,
                 resolved.error().message.c_str());
    }

    void resolve_needsBytesInTheVocabulary()
    {
        ModelConfig model = configFile("nanogpt_small.json");
        Workload workload;
        workload.data = "book.txt";
        QVERIFY(resolveWorkload(workload, model, 1));
        model.vocabulary = 255;
        QVERIFY(!resolveWorkload(workload, model, 1));
        QVERIFY(resolveWorkload({}, model, 1));
    }

    void scaledDown_keepsHeadSizeAndGroups_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *file :
             {"gpt2_small", "llama_8b", "qwen2_0.5b", "qwen3_4b", "gemma_7b", "llama_70b", "phi3_mini"})
            QTest::newRow(file) << QString(file) + ".json";
    }
    void scaledDown_keepsHeadSizeAndGroups()
    {
        QFETCH(QString, file);
        const ModelConfig model = configFile(file.toUtf8().constData());
        for (const double scale : {0.001, 0.1, 0.25, 0.37, 0.5, 0.99, 1.0}) {
            const auto sibling = scaledDown(model, 3, scale);
            QVERIFY(sibling);
            QCOMPARE(sibling->layers, 3);
            QCOMPARE(sibling->headSize, model.headSize);
            QCOMPARE(sibling->heads % sibling->kvHeads, 0);
            if (model.width == model.heads * model.headSize)
                QCOMPARE(sibling->width, sibling->heads * sibling->headSize);
            QVERIFY(sibling->width <= model.width && sibling->ffnWidth <= model.ffnWidth);
            QVERIFY(countParameters(*sibling).total < countParameters(model).total);
            if (model.family == "gemma")
                QCOMPARE(sibling->embeddingScale, std::sqrt(double(sibling->width)));
        }
        QCOMPARE(toJson(*scaledDown(model, 0, 1.0)).dump(), toJson(model).dump());
        for (const double scale : {0.0, -1.0, 1.5, std::nan("")})
            QVERIFY(!scaledDown(model, 0, scale));
        QVERIFY(!scaledDown(model, -1, 1.0));
        QVERIFY(!scaledDown(model, 5000, 1.0));
    }

    void json_bringsBackTheSame()
    {
        for (const char *file : {"gpt2_small.json", "gemma_7b.json", "llama_7b.json", "qwen3_4b.json"}) {
            const ModelConfig model = configFile(file);
            const auto back = modelFromJson(toJson(model));
            QVERIFY(back);
            QCOMPARE(toJson(*back).dump(), toJson(model).dump());
        }
        Workload workload;
        workload.dtype = Dtype::bf16;
        workload.attention = AttentionKernel::math;
        workload.optimizer = OptimizerKind::sgd;
        workload.momentum = 0.9;
        workload.gradients = GradientRule::kept;
        workload.seed = std::numeric_limits<std::uint64_t>::max();
        workload.memoryBudget = Bytes(1) << 40;
        const auto back = workloadFromJson(toJson(workload));
        QVERIFY(back);
        QCOMPARE(toJson(*back).dump(), toJson(workload).dump());
    }

    void json_fromOutsideIsChecked()
    {
        const Json model = toJson(configFile("gpt2_small.json"));
        const auto with = [&](const char *key, Json value) {
            Json changed = model;
            changed[key] = std::move(value);
            return modelFromJson(changed).has_value();
        };
        QVERIFY(with("layers", 3));
        QVERIFY(!with("layers", 0));
        QVERIFY(!with("layers", 1e9));
        QVERIFY(!with("layers", std::int64_t(1) << 40));
        QVERIFY(!with("width", "768"));
        QVERIFY(!with("kv_heads", 5));
        QVERIFY(!with("activation", "mish"));
        QVERIFY(!with("derived", 3));
        QVERIFY(!with("derived", Json::array({1})));
        QVERIFY(!modelFromJson(Json::array()));
        QVERIFY(!modelFromJson(Json::object()));
        QVERIFY(!workloadFromJson(Json{{"batch", "four"}}));
        QVERIFY(!workloadFromJson(Json{{"optimizer", "lion"}}));
        QVERIFY(!workloadFromJson(Json{{"seed", -1}}));
        QVERIFY(!workloadFromJson(Json(7)));
    }

    void optimizer_isSpelledAsOnTheCommandLine()
    {
        for (const char *text : {"none", "sgd", "sgd:0.9", "adamw"}) {
            Workload workload;
            QVERIFY(parseOptimizer(text, workload));
            QCOMPARE(optimizerText(workload), std::string(text));
        }
        for (const char *text :
             {"", "adam", "sgd:", "sgd:x", "sgd:1", "sgd:-0.1", "sgd:nan", "sgd:0.5x", "adamw:0.9"}) {
            Workload workload;
            QVERIFY2(!parseOptimizer(text, workload), text);
        }
    }

    void hash_dependsOnTheStepAlone()
    {
        const ModelConfig model = configFile("gpt2_small.json");
        const std::string hash = workloadHash(model, {});
        QCOMPARE(hash.size(), std::size_t(16));
        ModelConfig renamed = model;
        renamed.name = "other";
        renamed.derived.clear();
        Workload budget;
        budget.memoryBudget = 1;
        QCOMPARE(workloadHash(renamed, budget), hash);
        ModelConfig deeper = model;
        deeper.layers = 13;
        QVERIFY(workloadHash(deeper, {}) != hash);
        Workload larger;
        larger.batch = 8;
        QVERIFY(workloadHash(model, larger) != hash);
    }
};

REMAT_TEST(tst_workload);
#include "tst_workload.moc"
