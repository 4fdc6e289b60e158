// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>

#include <QDir>

#include "config/config_reader.h"
#include "config/model_limits.h"
#include "model/parameter_inventory.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

ModelConfig readOrFail(const QString &file)
{
    auto model = readModelConfig(REMAT_TEST_DATA "/configs/" + file.toStdString());
    if (!model)
        qFatal("%s", model.error().message.c_str());
    return std::move(model).value();
}

void addAllConfigs()
{
    QTest::addColumn<QString>("file");
    for (const QString &file : QDir(REMAT_TEST_DATA "/configs").entryList({"*.json"}))
        QTest::newRow(qPrintable(file)) << file;
}

} // namespace

/// JSON form, smaller siblings and limits of models of every family.
class tst_model_forms : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void json_bringsBackEveryModel_data() { addAllConfigs(); }
    void json_bringsBackEveryModel()
    {
        QFETCH(QString, file);
        const ModelConfig model = readOrFail(file);
        const Json json = toJson(model);
        const auto back = modelFromJson(json);
        QVERIFY2(back, back ? "" : back.error().message.c_str());
        QCOMPARE(toJson(*back).dump(), json.dump());
        QCOMPARE(back->layerForms, model.layerForms);
        QCOMPARE(countParameters(*back).total, countParameters(model).total);
    }

    void siblings_keepTheFamilysRatios_data() { addAllConfigs(); }
    void siblings_keepTheFamilysRatios()
    {
        QFETCH(QString, file);
        const ModelConfig model = readOrFail(file);
        for (const double scale : {0.001, 0.1, 0.37, 0.5, 0.99}) {
            const auto sibling = scaledDown(model, 2, scale);
            QVERIFY2(sibling, sibling ? "" : sibling.error().message.c_str());
            QVERIFY(shapeProblem(*sibling).empty());
            QCOMPARE(sibling->headSize, model.headSize);
            QCOMPARE(sibling->heads % sibling->kvHeads, 0);
            QCOMPARE(sibling->experts.count, model.experts.count);
            QVERIFY(sibling->width <= model.width && sibling->ffnWidth <= model.ffnWidth);
            QVERIFY(sibling->experts.width <= model.experts.width);
            QCOMPARE(sibling->experts.sharedWidth > 0, model.experts.sharedWidth > 0);
            QVERIFY(countParameters(*sibling).total < countParameters(model).total);
            for (int layer = 0; layer < 2; ++layer)
                QCOMPARE(sibling->formOf(layer), model.formOf(layer));
        }
    }

    void layers_beginThePatternAgain()
    {
        const ModelConfig model = readOrFail("gemma2_9b.json");
        const auto deeper = scaledDown(model, 50, 1.0);
        QVERIFY(deeper);
        QCOMPARE(deeper->layerForms.size(), std::size_t(50));
        QVERIFY(deeper->formOf(42).windowed && !deeper->formOf(43).windowed);
        QCOMPARE(scaledDown(readOrFail("gemma_7b.json"), 0, 0.5)->embeddingScale, std::sqrt(1536.0));
    }

    void json_isCompactAndReadable()
    {
        const Json json = toJson(readOrFail("deepseek_vl2_tiny.json"));
        QCOMPARE(json["layer_forms"]["experts"].get<std::string>(), std::string("011111111111"));
        QCOMPARE(json["experts"]["shared_width"].get<int>(), 1792);
        QVERIFY(json["rope_scaling"].is_null());
        const Json gemma = toJson(readOrFail("gemma2_9b.json"));
        QCOMPARE(gemma["norm_placement"].get<std::string>(), std::string("sandwich"));
        QVERIFY(gemma["experts"].is_null());
        QCOMPARE(toJson(readOrFail("bert_base_classifier.json"))["head"].get<std::string>(), std::string("sequence"));
    }

    void json_ofOlderVersionsIsRead()
    {
        Json json = toJson(readOrFail("qwen3_8b.json"));
        json["qk_norm"] = true;
        for (const char *key : {"layer_forms", "experts", "rope_scaling", "head"})
            json.erase(key);
        const auto model = modelFromJson(json);
        QVERIFY(model);
        QCOMPARE(model->qkNorm, QkNorm::headRms);
        QCOMPARE(model->head, HeadKind::causal);
    }

    void json_thatIsBrokenIsRefused_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        const auto row
            = [](const char *path, const char *value) { QTest::addRow("%s %s", path, value) << path << value; };
        row("/layer_forms", "3");
        row("/layer_forms/windowed", R"("01")"); // of another length
        row("/layer_forms/windowed", R"("xyz")");
        row("/norm_placement", R"("middle")");
        row("/experts/per_token", "65");
        row("/experts/width", "0");
        row("/experts/count", "1000000000000");
        row("/experts/shared_width", R"("wide")");
        row("/qk_norm", R"("some")");
        row("/position_offset", "-1");
        row("/logit_scale", "0");
        row("/attention_softcap", "-2");
        row("/rope_scaling", R"({"kind":"longrope","factors":[1.0]})");
        row("/rope_scaling", R"({"kind":"llama3","original_positions":0})");
        row("/rope_scaling", R"({"kind":"yarn","factors":["x"]})");
        row("/head", R"("sequence")"); // without classes
        row("/head", R"("image")");    // without patches
    }
    void json_thatIsBrokenIsRefused()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        Json json = toJson(readOrFail("deepseek_vl2_tiny.json"));
        json[Json::json_pointer(path.toStdString())] = Json::parse(value.toStdString());
        const auto model = modelFromJson(json);
        QVERIFY(!model);
        QVERIFY(model.error().message.ends_with("."));
    }
};

REMAT_TEST(tst_model_forms);
#include "tst_model_forms.moc"
