// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>

#include <QCoreApplication>
#include <QStringList>

#include "models/text.h"
#include "schedule/strategy.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("remat::ui::Text", text);
}

QString budgetText(const core::Strategy &s)
{
    return s.budget.percent < 0.0 ? QString::fromStdString(core::formatBytes(s.budget.bytes))
                                  : QString::fromStdString(s.text.substr(s.text.find(':') + 1));
}

QString ruleTitle(const core::Strategy &s)
{
    switch (s.kind) {
    case core::StrategyKind::none:
        return tr("No checkpointing");
    case core::StrategyKind::every:
        return s.n == 1 ? tr("Every block") : tr("Every %1 blocks").arg(s.n);
    case core::StrategyKind::segments:
        return tr("Segments of %1").arg(s.n);
    case core::StrategyKind::sequential:
        return tr("Sequential, %1 groups").arg(s.n);
    case core::StrategyKind::first:
        return tr("First %1 blocks").arg(s.n);
    case core::StrategyKind::last:
        return tr("Last %1 blocks").arg(s.n);
    case core::StrategyKind::sqrt:
        return tr("Square root of the depth");
    case core::StrategyKind::halves:
        return tr("Half blocks");
    case core::StrategyKind::recursive:
        return tr("Recursive halving");
    case core::StrategyKind::inputOnly:
        return tr("Input only");
    case core::StrategyKind::budget:
        return tr("Best plan within %1").arg(budgetText(s));
    case core::StrategyKind::layers:
    case core::StrategyKind::file:
        break;
    }
    return {};
}

QString ruleLabel(const core::Strategy &s)
{
    if (s.kind == core::StrategyKind::every)
        return s.n == 1 ? tr("every block") : tr("every %1").arg(s.n);
    if (s.kind == core::StrategyKind::segments)
        return tr("segments of %1").arg(s.n);
    if (s.kind == core::StrategyKind::budget)
        return tr("plan for %1").arg(budgetText(s));
    return s.kind == core::StrategyKind::inputOnly ? tr("input only") : QString();
}

/// A spelling in its parts: "segments:2", "drop_qkv+lean_mlp", "0,3-5".
struct Parts
{
    QString rule;
    QString options;
    QString layers;
};

Parts partsOf(const core::Strategy &strategy)
{
    const QString text = QString::fromStdString(strategy.text);
    const qsizetype at = strategy.options.any() ? text.indexOf("selective:"_L1) : -1;
    if (at < 0)
        return {text, {}, {}};
    const QString options = text.mid(at + 10);
    return {text.left(std::max<qsizetype>(0, at - 1)), options.section(u'@', 0, 0), options.section(u'@', 1)};
}

/// "attention and MLP": the two options that have names; ids for the others.
QString optionsTitle(const Parts &parts)
{
    const QString names = parts.options == "attention"_L1 ? tr("attention")
        : parts.options == "mlp"_L1                       ? tr("MLP")
        : parts.options == "attention+mlp"_L1             ? tr("attention and MLP")
                                                          : parts.options;
    return parts.layers.isEmpty() ? names : tr("%1 of layers %2").arg(names, parts.layers);
}

QString attentionWords(const std::string &id)
{
    if (id.starts_with("drop_core"))
        return tr("the scores, softmax and dropout of attention");
    if (id.starts_with("drop_qkv"))
        return tr("the queries, keys and values, and the scores, softmax and dropout of attention");
    return {};
}

QString feedForwardWords(const std::string &id)
{
    if (id.starts_with("lean_mlp"))
        return tr("the output of the MLP's activation function");
    return id.starts_with("drop_up") ? tr("the MLP's up-projection and the output of its activation function")
                                     : QString();
}

QString normWords(const core::StageOptions &options)
{
    const bool attention = options.attention.ends_with("_norm");
    const bool feedForward = options.feedForward.ends_with("_norm");
    if (attention && feedForward)
        return tr("the normalised inputs of both halves");
    if (attention)
        return tr("the normalised input of attention");
    return feedForward ? tr("the normalised input of the MLP") : QString();
}

} // namespace

QString strategyTitle(const QString &strategy)
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    if (!parsed)
        return strategy;
    const Parts parts = partsOf(*parsed);
    const QString rule = ruleTitle(*parsed).isEmpty() ? parts.rule : ruleTitle(*parsed);
    if (parts.options.isEmpty())
        return rule.isEmpty() ? strategy : rule;
    return parts.rule.isEmpty() ? tr("Selective: %1").arg(optionsTitle(parts))
                                : tr("%1, selective: %2").arg(rule, optionsTitle(parts));
}

QString strategyLabel(const QString &strategy)
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    if (!parsed)
        return strategy;
    const Parts parts = partsOf(*parsed);
    const QString rule = ruleLabel(*parsed).isEmpty() ? parts.rule : ruleLabel(*parsed);
    if (parts.options.isEmpty())
        return rule;
    const QString options = parts.layers.isEmpty() ? parts.options : parts.options + u'@' + parts.layers;
    return rule.isEmpty() ? tr("selective %1").arg(options) : tr("%1 + selective %2").arg(rule, options);
}

QString droppedText(const QString &strategy)
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    if (!parsed || !parsed->options.any())
        return {};
    QStringList words{attentionWords(parsed->options.attention), feedForwardWords(parsed->options.feedForward),
                      normWords(parsed->options)};
    words.removeAll(QString());
    const QString last = words.takeLast();
    const QString all = words.isEmpty() ? last : tr("%1, and %2").arg(words.join(u", "_s), last);
    const QString layers = partsOf(*parsed).layers;
    return layers.isEmpty() ? tr("Dropped and rebuilt in the backward: %1.").arg(all)
                            : tr("Dropped and rebuilt in the backward, in layers %1: %2.").arg(layers, all);
}

} // namespace remat::ui
