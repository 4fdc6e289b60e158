// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <set>

#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "model/stage.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

ModelConfig parseOrFail(const char *text)
{
    auto model = parseModelConfig(text, "test");
    if (!model)
        qFatal("%s", model.error().message.c_str());
    return std::move(model).value();
}

const Parameter *find(const std::vector<Parameter> &parameters, const std::string &name)
{
    for (const Parameter &parameter : parameters)
        if (parameter.name == name)
            return &parameter;
    return nullptr;
}

constexpr const char *kGpt2
    = R"({"model_type":"gpt2","n_layer":2,"n_embd":8,"n_head":2,"vocab_size":20,"n_positions":6})";
constexpr const char *kQwen3 = R"({"model_type":"qwen3","num_hidden_layers":1,"hidden_size":8,"num_attention_heads":4,)"
                               R"("num_key_value_heads":2,"head_dim":6,"intermediate_size":10,"vocab_size":20})";
constexpr const char *kGemma = R"({"model_type":"gemma","num_hidden_layers":1,"hidden_size":8,"num_attention_heads":2,)"
                               R"("head_dim":4,"intermediate_size":10,"vocab_size":20})";

using Shape = std::vector<std::int64_t>;

} // namespace

class tst_parameter_inventory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void gpt2_listsEveryTensorInOrder()
    {
        const auto parameters = parameterInventory(parseOrFail(kGpt2));
        const std::vector<std::string> block
            = {"attention.norm.weight",  "attention.norm.bias",  "attention.qkv.weight",     "attention.qkv.bias",
               "attention.out.weight",   "attention.out.bias",   "feed_forward.norm.weight", "feed_forward.norm.bias",
               "feed_forward.up.weight", "feed_forward.up.bias", "feed_forward.down.weight", "feed_forward.down.bias"};
        std::vector<std::string> expected = {"embedding.tokens.weight", "embedding.positions.weight"};
        for (const char *layer : {"layers.0.", "layers.1."})
            for (const std::string &name : block)
                expected.push_back(layer + name);
        expected.insert(expected.end(), {"final_norm.weight", "final_norm.bias"});
        std::vector<std::string> names;
        for (const Parameter &parameter : parameters)
            names.push_back(parameter.name);
        QCOMPARE(names, expected);
        QCOMPARE(find(parameters, "layers.1.attention.qkv.weight")->shape, (Shape{24, 8}));
        QCOMPARE(find(parameters, "layers.1.feed_forward.down.weight")->shape, (Shape{8, 32}));
        QCOMPARE(find(parameters, "layers.1.feed_forward.down.weight")->initializer, Initializer::normalResidual);
        QCOMPARE(find(parameters, "layers.1.attention.out.weight")->initializer, Initializer::normalResidual);
        QCOMPARE(find(parameters, "layers.0.attention.qkv.bias")->initializer, Initializer::zeros);
        QCOMPARE(find(parameters, "final_norm.weight")->initializer, Initializer::ones);
    }

    void qwen3_fusesGroupedHeads()
    {
        const auto parameters = parameterInventory(parseOrFail(kQwen3));
        QCOMPARE(find(parameters, "layers.0.attention.qkv.weight")->shape, (Shape{(4 + 2 * 2) * 6, 8}));
        QCOMPARE(find(parameters, "layers.0.attention.q_norm.weight")->shape, (Shape{6}));
        QCOMPARE(find(parameters, "layers.0.attention.k_norm.weight")->shape, (Shape{6}));
        QCOMPARE(find(parameters, "layers.0.attention.out.weight")->shape, (Shape{8, 24}));
        QCOMPARE(find(parameters, "layers.0.feed_forward.gate_up.weight")->shape, (Shape{20, 8}));
        QVERIFY(find(parameters, "layers.0.feed_forward.up.weight") == nullptr);
        QVERIFY(find(parameters, "embedding.positions.weight") == nullptr);
        QCOMPARE(find(parameters, "head.weight")->shape, (Shape{20, 8}));
        QCOMPARE(find(parameters, "head.weight")->stage, 4);
    }

    void gemma_normsStartAtZeroOffset()
    {
        const auto parameters = parameterInventory(parseOrFail(kGemma));
        QCOMPARE(find(parameters, "final_norm.weight")->initializer, Initializer::zeros);
        QVERIFY(find(parameters, "head.weight") == nullptr);
    }

    void stages_ownTheirParameters()
    {
        for (const char *text : {kGpt2, kQwen3, kGemma}) {
            const ModelConfig model = parseOrFail(text);
            const auto stages = stagesOf(model);
            std::set<std::string> names;
            std::int64_t total = 0;
            int last = 0;
            for (const Parameter &parameter : parameterInventory(model)) {
                QVERIFY(names.insert(parameter.name).second);
                QVERIFY(parameter.stage >= last && parameter.stage <= static_cast<int>(stages.size()));
                last = parameter.stage;
                total += parameter.elements();
                const std::string layer = "layers." + std::to_string(model.layers - 1) + ".attention.";
                if (parameter.name.starts_with(layer))
                    QCOMPARE(stageName(stages, parameter.stage),
                             "layer " + std::to_string(model.layers - 1) + " · attention");
            }
            QCOMPARE(countParameters(model).total, total);
        }
    }

    void stages_areNamed()
    {
        ModelConfig model;
        model.layers = 2;
        const auto stages = stagesOf(model);
        QCOMPARE(stages.size(), std::size_t(6));
        QCOMPARE(chainShape(model).firstStageOf(1), 3);
        const char *names[] = {"embedding",           "layer 0 · attention",    "layer 0 · feed-forward",
                               "layer 1 · attention", "layer 1 · feed-forward", "final norm",
                               "head and loss"};
        for (int i = 0; i < 7; ++i)
            QCOMPARE(stageName(stages, i), std::string(names[i]));
        QCOMPARE(stageName(stages, -1), std::string("head and loss"));
    }
};

REMAT_TEST(tst_parameter_inventory);
#include "tst_parameter_inventory.moc"
