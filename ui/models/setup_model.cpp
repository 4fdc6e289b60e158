// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/setup_model.h"

#include <algorithm>

#include <QDate>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QThread>

#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

/// The defaults with one field of ours: tells whose fault a refusal is.
core::Workload onlyField(const core::Workload &all, SetupModel::Field field)
{
    using F = SetupModel::Field;
    core::Workload w;
    switch (field) {
    case F::batch:
        w.batch = all.batch;
        break;
    case F::seq:
        w.seq = all.seq;
        break;
    case F::microBatches:
        w.microBatches = all.microBatches;
        break;
    case F::dtype:
        w.dtype = all.dtype;
        w.device = all.device;
        break;
    case F::attention:
        w.attention = all.attention;
        break;
    case F::dropout:
        w.dropout = all.dropout;
        break;
    case F::attentionDropout:
        w.attentionDropout = all.attentionDropout;
        break;
    case F::optimizer:
        w.optimizer = all.optimizer;
        w.momentum = all.momentum;
        break;
    case F::gradients:
        w.gradients = all.gradients;
        break;
    case F::clip:
        w.clip = all.clip;
        break;
    case F::device:
        w.device = all.device;
        break;
    case F::threads:
        w.threads = all.threads;
        break;
    case F::memoryBudget:
        w.memoryBudget = all.memoryBudget;
        break;
    case F::seed:
        w.seed = all.seed;
        break;
    case F::layers:
        break;
    }
    return w;
}

} // namespace

int usableCores()
{
    return std::max(1, QThread::idealThreadCount());
}

QString newSessionPath(const QString &modelName, const QString &folder)
{
    QString base = folder;
    if (base.isEmpty())
        base = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation) + u"/Rematscope"_s;
    QString name = QFileInfo(modelName).completeBaseName();
    name.replace(QRegularExpression(u"[^A-Za-z0-9._-]+"_s), u"-"_s);
    if (name.isEmpty())
        name = u"session"_s;
    const QString stem = base + u'/' + name + u'-' + QDate::currentDate().toString(Qt::ISODate);
    QString path = stem + u".remat"_s;
    for (int i = 2; QFile::exists(path); ++i)
        path = stem + u"-%1.remat"_s.arg(i);
    return path;
}

SetupModel::SetupModel(QObject *parent) : QObject(parent) { }

core::Result<void> SetupModel::loadConfig(const QString &path)
{
    core::Result<core::ModelConfig> read = core::Error{};
    if (path.startsWith(u':')) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            return core::Error{core::ErrorCode::failed,
                               tr("The bundled config %1 cannot be read.").arg(path).toStdString()};
        const QByteArray text = file.readAll();
        read = core::parseModelConfig({text.constData(), static_cast<std::size_t>(text.size())},
                                      QFileInfo(path).completeBaseName().toStdString());
    } else {
        read = core::readModelConfig(path.toStdString());
    }
    if (!read)
        return read.error();
    m_path = path;
    m_config = std::move(read).value();
    m_model = m_config;
    m_workload = {};
    m_workload.seq = std::min<std::int64_t>(m_config->positions, 256);
    m_workload.threads = usableCores();
    Q_EMIT modelChanged();
    Q_EMIT changed();
    return {};
}

void SetupModel::adopt(const core::ModelConfig &model, const core::Workload &workload)
{
    m_path.clear();
    m_config = model;
    m_model = model;
    m_workload = workload;
    Q_EMIT modelChanged();
    Q_EMIT changed();
}

void SetupModel::setLayers(int layers)
{
    if (!m_config || m_model->layers == layers)
        return;
    if (auto scaled = core::scaledDown(*m_config, layers == m_config->layers ? 0 : layers, 1.0)) {
        m_model = std::move(scaled).value();
        Q_EMIT modelChanged();
        Q_EMIT changed();
    }
}

void SetupModel::setWorkload(const core::Workload &workload)
{
    m_workload = workload;
    Q_EMIT changed();
}

void SetupModel::setDevices(std::vector<core::DeviceInfo> devices)
{
    m_devices = std::move(devices);
    Q_EMIT changed();
}

core::Result<core::Workload> SetupModel::resolved() const
{
    if (!m_model)
        return core::Error{core::ErrorCode::usage, tr("No config is open: open one first.").toStdString()};
    if (const QString device = problem(Field::device); !device.isEmpty())
        return core::Error{core::ErrorCode::refused, device.toStdString()};
    return core::resolveWorkload(m_workload, *m_model, usableCores());
}

QString SetupModel::problem(Field field) const
{
    if (!m_model)
        return {};
    if (field == Field::device) {
        const auto found = std::find_if(m_devices.begin(), m_devices.end(), [this](const core::DeviceInfo &device) {
            return device.id == m_workload.device;
        });
        if (found != m_devices.end() && !found->usable)
            return QString::fromStdString(found->why);
    }
    const auto checked = core::resolveWorkload(onlyField(m_workload, field), *m_model, usableCores());
    return checked ? QString() : QString::fromStdString(checked.error().message);
}

QString SetupModel::hint(Field field) const
{
    if (!m_model)
        return {};
    const bool cpu = m_workload.device == "cpu";
    const double attentionDropout
        = m_workload.attentionDropout < 0 ? m_model->attentionDropout : m_workload.attentionDropout;
    switch (field) {
    case Field::attention:
        return cpu && attentionDropout > 0 ? tr("attention dropout forces the kernel that keeps all scores")
                                           : QString();
    case Field::seq:
        return tr("at most %1").arg(m_model->positions);
    case Field::layers:
        return m_model->layers < m_config->layers ? tr("a smaller sibling of %1 layers").arg(m_config->layers)
                                                  : QString();
    case Field::threads:
        return tr("of %1 cores").arg(usableCores());
    default:
        return {};
    }
}

std::vector<PeakSummary::Part> SetupModel::certainBytes() const
{
    if (!m_model)
        return {};
    const core::Bytes weights = core::countParameters(*m_model).total * (m_workload.dtype == core::Dtype::bf16 ? 2 : 4);
    std::vector<PeakSummary::Part> parts{{core::Category::parameter, weights},
                                         {core::Category::parameterGradient, weights}};
    if (m_workload.optimizer == core::OptimizerKind::adamw)
        parts.push_back({core::Category::optimizerState, 2 * weights});
    else if (m_workload.optimizer == core::OptimizerKind::sgd && m_workload.momentum > 0)
        parts.push_back({core::Category::optimizerState, weights});
    return parts;
}

} // namespace remat::ui
