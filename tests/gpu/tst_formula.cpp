// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>

#include "formula/formula_costs.h"
#include "gpu/support/engine_fixture.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

/// Compares the formula's costs with the probe's; the first field that differs is told.
class Comparison
{
public:
    /// Products of reduced types take scratch that only a machine knows: transients of the formula are then a lower bound.
    explicit Comparison(bool scratchIsKnown) : m_exact(scratchIsKnown) { }

    QString run(const ChainCosts &formula, const ChainCosts &probe)
    {
        same("static bytes", formula.staticBytes, probe.staticBytes);
        same("first trainable", formula.firstTrainable, probe.firstTrainable);
        same("micro-batches", formula.microBatches, probe.microBatches);
        same("gradients kept", formula.gradientsKept, probe.gradientsKept);
        same("input", formula.input, probe.input);
        transient("optimizer", formula.optimizer, probe.optimizer);
        transient("loss, first", formula.loss.first, probe.loss.first);
        transient("loss, later", formula.loss.later, probe.loss.later);
        same("loss, growth", formula.loss.gradientGrowth, probe.loss.gradientGrowth);
        same("stages", Bytes(formula.stages.size()), Bytes(probe.stages.size()));
        for (std::size_t i = 0; m_difference.isEmpty() && i < probe.stages.size(); ++i)
            stage(QString("stage %1").arg(i), formula.stages[i], probe.stages[i]);
        return m_difference;
    }

private:
    void same(const QString &where, Bytes formula, Bytes probe)
    {
        if (formula != probe && m_difference.isEmpty())
            m_difference = QString("%1: formula %2, probe %3").arg(where).arg(formula).arg(probe);
    }
    void transient(const QString &where, const Transient &formula, const Transient &probe)
    {
        if (!m_exact && formula.total <= probe.total && formula.activation <= probe.activation)
            return;
        same(where + ", total", formula.total, probe.total);
        same(where + ", activation", formula.activation, probe.activation);
    }
    void stage(const QString &where, const StageCost &formula, const StageCost &probe)
    {
        same(where + ", output", formula.output, probe.output);
        transient(where + ", forward", formula.forward, probe.forward);
        same(where + ", growth", formula.gradientGrowth, probe.gradientGrowth);
        same(where + ", remembered", formula.remembered, probe.remembered);
        same(where + ", options", Bytes(formula.options.size()), Bytes(probe.options.size()));
        for (const auto &[id, expected] : probe.options) {
            if (!formula.options.contains(id)) {
                m_difference = where + " has no option " + id.c_str();
                return;
            }
            option(where + " " + id.c_str(), formula.options.at(id), expected);
        }
    }
    void option(const QString &where, const OptionCost &formula, const OptionCost &probe)
    {
        same(where + ", saved", formula.saved, probe.saved);
        same(where + ", keeps input", formula.keepsInput, probe.keepsInput);
        same(where + ", keeps output", formula.keepsOutput, probe.keepsOutput);
        transient(where + ", forward", formula.forwardSave, probe.forwardSave);
        transient(where + ", phantom", formula.forwardSavePhantom, probe.forwardSavePhantom);
        transient(where + ", backward", formula.backwardFirst, probe.backwardFirst);
        transient(where + ", later backward", formula.backwardLater, probe.backwardLater);
    }

    bool m_exact;
    QString m_difference;
};

std::vector<std::string> optionsFor(const ModelConfig &model)
{
    if (model.parallelResidual)
        return {"drop_core",
                "lean_mlp",
                "drop_qkv+drop_up",
                "keep_all_norm",
                "drop_qkv+lean_mlp",
                "drop_core_norm+lean_mlp_norm",
                "drop_qkv_norm+drop_up_norm"};
    std::vector<std::string> options;
    for (const StageKind half : {StageKind::attention, StageKind::feedForward})
        for (const std::string_view id : optionIds(half))
            if (id != "keep_all" && std::find(options.begin(), options.end(), id) == options.end())
                options.emplace_back(id);
    return options;
}

/// A model of sizes at which kernels tile, split over threads and sort in other ways.
ModelConfig larger(ModelConfig model)
{
    if (model.head == HeadKind::image)
        return model;
    model.width *= 4;
    model.headSize *= 4;
    model.ffnWidth *= 5;
    model.positions = 300;
    model.vocabulary = 1000;
    return model;
}

} // namespace

class tst_formula : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyModelAndOption_equalsTheProbe_data()
    {
        QTest::addColumn<int>("model");
        const auto models = allTinyModels(2);
        for (std::size_t i = 0; i < models.size(); ++i)
            QTest::newRow(models[i].name.c_str()) << int(i);
    }
    /// Kernels, dropouts, micro-batches, threads, kept gradients: every switch in both positions.
    void everyModelAndOption_equalsTheProbe()
    {
        QFETCH(int, model);
        const ModelConfig config = allTinyModels(2)[std::size_t(model)].model;
        for (int setting = 0; setting < 4; ++setting) {
            Workload workload = tinyWorkload(config);
            const bool math = setting == 1 || config.attentionSoftcap > 0;
            workload.attention = math ? AttentionKernel::math : AttentionKernel::sdpa;
            workload.dropout = setting == 2 ? 0.0 : 0.1;
            workload.attentionDropout = setting == 1 || setting == 3 ? 0.1 : 0.0;
            workload.microBatches = setting % 2 == 1 ? 3 : 1;
            workload.threads = setting >= 2 ? 2 : 1;
            workload.gradients = setting == 3 ? GradientRule::kept : GradientRule::freed;
            workload.clip = setting == 2 ? 0.5 : 0.0;
            compare(config, workload, QString("setting %1").arg(setting));
        }
    }

    void largerModels_equalTheProbe_data() { everyModelAndOption_equalsTheProbe_data(); }
    void largerModels_equalTheProbe()
    {
        QFETCH(int, model);
        const ModelConfig config = larger(allTinyModels(1)[std::size_t(model)].model);
        Workload workload = tinyWorkload(config);
        workload.seq = config.positions;
        workload.dropout = 0.1;
        workload.threads = 2;
        if (config.attentionSoftcap > 0)
            workload.attention = AttentionKernel::math;
        compare(config, workload, "larger");
    }

    void reducedTypes_equalTheProbeButForScratch_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("dtype");
        const auto models = allTinyModels(1);
        for (std::size_t i = 0; i < models.size(); ++i)
            for (const char *dtype : {"bf16", "mixed-bf16"})
                QTest::addRow("%s %s", models[i].name.c_str(), dtype) << int(i) << QString(dtype);
    }
    void reducedTypes_equalTheProbeButForScratch()
    {
        QFETCH(int, model);
        QFETCH(QString, dtype);
        const ModelConfig config = allTinyModels(1)[std::size_t(model)].model;
        Workload workload = tinyWorkload(config);
        workload.dtype = *dtypeFrom(dtype.toStdString());
        workload.dropout = 0.1;
        if (config.attentionSoftcap > 0)
            workload.attention = AttentionKernel::math;
        compare(config, workload, dtype);
    }

    void frozenParts_equalTheProbe_data()
    {
        QTest::addColumn<QString>("train");
        for (const char *train : {"last:1", "last:2", "lora:2"})
            QTest::newRow(train) << QString(train);
    }
    void frozenParts_equalTheProbe()
    {
        QFETCH(QString, train);
        for (const ModelConfig &model : {tinyLlama(3), tinyGpt(3), tinyPhi(3), tinyBert(3), tinyMixtral(3)}) {
            Workload workload = tinyWorkload(model);
            QVERIFY(parseTrain(train.toStdString(), workload));
            compare(model, workload, model.family.c_str());
        }
    }

    void optimizersAndLosses_equalTheProbe_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const char *optimizer : {"none", "sgd", "sgd:0.9", "adamw", "adamw-per-tensor"})
            QTest::newRow(optimizer) << QString(optimizer);
    }
    void optimizersAndLosses_equalTheProbe()
    {
        QFETCH(QString, optimizer);
        ModelConfig model = tinyGpt(2);
        model.tiedHead = false;
        for (const int chunks : {0, 3}) {
            for (const bool update : {false, true}) {
                Workload workload = tinyWorkload(model);
                workload.lossChunks = chunks;
                QVERIFY(parseOptimizer(optimizer.toStdString(), workload));
                if (update && (workload.optimizer == OptimizerKind::none || chunks > 0))
                    continue;
                workload.updateInBackward = update;
                compare(model, workload, optimizer);
            }
        }
    }

private:
    static void compare(const ModelConfig &model, const Workload &workload, const QString &where)
    {
        const auto options = optionsFor(model);
        const auto formula = chainFormula(model, workload, options);
        QVERIFY2(formula, formula ? "" : formula.error().message.c_str());
        const auto probe = engine().probe(model, workload, options, {});
        QVERIFY2(probe, probe ? "" : qPrintable(where + ": " + probe.error().message.c_str()));
        const QString difference = Comparison(!formula->approximate).run(formula->costs, *probe);
        QVERIFY2(difference.isEmpty(), qPrintable(where + ": " + difference));
    }
};

REMAT_TEST(tst_formula);
#include "tst_formula.moc"
