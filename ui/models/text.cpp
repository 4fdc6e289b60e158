// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/text.h"

#include <cmath>

#include <QCoreApplication>
#include <QLocale>

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("remat::ui::Text", text, nullptr, n);
}

} // namespace

QString bytesText(core::Bytes bytes)
{
    return QString::fromStdString(core::formatBytes(bytes));
}

QString exactBytesText(core::Bytes bytes)
{
    return tr("%1 bytes").arg(QLocale().toString(static_cast<qlonglong>(bytes)));
}

QString durationText(core::Nanoseconds ns)
{
    return QString::fromStdString(core::formatDuration(ns));
}

QString remainingText(core::Nanoseconds ns)
{
    const qint64 seconds = (ns + 999'999'999) / 1'000'000'000;
    if (seconds < 100)
        return tr("%1 s").arg(seconds);
    if (seconds < 3600)
        return tr("%1 min").arg((seconds + 30) / 60);
    return tr("%1 h %2 min").arg(seconds / 3600).arg(seconds % 3600 / 60);
}

QString factorText(double factor)
{
    return u"×%1"_s.arg(QLocale().toString(factor, 'f', 2));
}

QString percentText(double change)
{
    const int rounded = static_cast<int>(std::lround(change * 100.0));
    const QString sign = rounded < 0 ? u"−"_s : rounded > 0 ? u"+"_s : u"±"_s;
    return u"%1%2 %"_s.arg(sign).arg(std::abs(rounded));
}

QString statusText(core::RunStatus status)
{
    switch (status) {
    case core::RunStatus::queued:
        return tr("queued");
    case core::RunStatus::running:
        return tr("running");
    case core::RunStatus::done:
        return tr("done");
    case core::RunStatus::doesNotFit:
        return tr("does not fit");
    case core::RunStatus::cancelled:
        return tr("cancelled");
    case core::RunStatus::failed:
        return tr("failed");
    case core::RunStatus::interrupted:
        return tr("interrupted");
    }
    return {};
}

QString categoryText(core::Category category)
{
    switch (category) {
    case core::Category::parameter:
        return tr("weights");
    case core::Category::parameterGradient:
        return tr("weight gradients");
    case core::Category::optimizerState:
        return tr("optimizer state");
    case core::Category::input:
        return tr("input");
    case core::Category::constant:
        return tr("constants");
    case core::Category::workspace:
        return tr("library workspace");
    case core::Category::boundary:
        return tr("boundary kept");
    case core::Category::savedActivation:
        return tr("saved activation");
    case core::Category::recomputedActivation:
        return tr("recomputed activation");
    case core::Category::activationGradient:
        return tr("activation gradient");
    case core::Category::logitsAndLoss:
        return tr("logits and loss");
    case core::Category::castCopy:
        return tr("cast copies");
    case core::Category::temporary:
        return tr("temporary");
    case core::Category::workerScratch:
        return tr("worker scratch");
    case core::Category::other:
        return tr("other");
    }
    return {};
}

QString phaseText(core::Phase phase)
{
    switch (phase) {
    case core::Phase::forward:
        return tr("forward");
    case core::Phase::loss:
        return tr("loss");
    case core::Phase::recompute:
        return tr("recompute");
    case core::Phase::backward:
        return tr("backward");
    case core::Phase::optimizer:
        return tr("optimizer");
    case core::Phase::other:
        return tr("other");
    }
    return {};
}

QString countText(qint64 count)
{
    return QLocale().toString(count);
}

QString parameterText(qint64 count)
{
    if (count >= 1'000'000'000)
        return tr("%1 B").arg(QLocale().toString(static_cast<double>(count) / 1e9, 'f', 2));
    if (count >= 1'000'000)
        return tr("%1 M").arg(QLocale().toString(static_cast<double>(count) / 1e6, 'f', 1));
    return countText(count);
}

} // namespace remat::ui
