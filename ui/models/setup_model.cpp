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
#include "model/static_memory.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

using F = SetupModel::Field;

/// Takes over one field.
void copyField(core::Workload &to, const core::Workload &from, F field)
{
    switch (field) {
    case F::batch:
        to.batch = from.batch;
        break;
    case F::seq:
        to.seq = from.seq;
        break;
    case F::microBatches:
        to.microBatches = from.microBatches;
        break;
    case F::dtype:
        to.dtype = from.dtype;
        break;
    case F::attention:
        to.attention = from.attention;
        break;
    case F::dropout:
        to.dropout = from.dropout;
        break;
    case F::attentionDropout:
        to.attentionDropout = from.attentionDropout;
        break;
    case F::optimizer:
        to.optimizer = from.optimizer;
        to.momentum = from.momentum;
        break;
    case F::gradients:
        to.gradients = from.gradients;
        break;
    case F::clip:
        to.clip = from.clip;
        break;
    case F::train:
        to.train = from.train;
        break;
    case F::loss:
        to.lossChunks = from.lossChunks;
        break;
    case F::updateInBackward:
        to.updateInBackward = from.updateInBackward;
        break;
    case F::device:
        to.device = from.device;
        break;
    case F::threads:
        to.threads = from.threads;
        break;
    case F::memoryBudget:
        to.memoryBudget = from.memoryBudget;
        break;
    case F::seed:
        to.seed = from.seed;
        break;
    case F::layers:
        break;
    }
}

/// How much of the model is trained where it is not all of it.
QString trainHint(const core::ModelConfig &model, const core::TrainRule &rule)
{
    if (rule.kind == core::TrainKind::all || rule.n < 1)
        return {};
    const core::ParameterCount count = core::countParameters(model, rule);
    return SetupModel::tr("%1 of %2 parameters").arg(parameterText(count.trainable), parameterText(count.total));
}

/// Fields that decide with this one whether it can work.
std::vector<F> companionsOf(F field)
{
    switch (field) {
    case F::dtype:
        return {F::device};
    case F::attention:
        return {F::device, F::attentionDropout};
    case F::loss:
        return {F::batch, F::seq};
    case F::updateInBackward:
        return {F::optimizer, F::gradients, F::clip, F::microBatches, F::train};
    default:
        return {};
    }
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

void SetupModel::replaceWorkload(const core::Workload &workload)
{
    m_workload = workload;
    Q_EMIT workloadReplaced();
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

bool SetupModel::isSetUpAs(const core::ModelConfig &model, const core::Workload &workload) const
{
    const auto mine = resolved();
    const auto other = core::resolveWorkload(workload, model, usableCores());
    return mine && other && core::workloadHash(*m_model, *mine) == core::workloadHash(model, *other);
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
    // A refusal belongs to the field without which there is none: the defaults and its companions alone must work.
    core::Workload some;
    for (const Field companion : companionsOf(field))
        copyField(some, m_workload, companion);
    if (!core::resolveWorkload(some, *m_model, usableCores()))
        return {};
    copyField(some, m_workload, field);
    const auto checked = core::resolveWorkload(some, *m_model, usableCores());
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
    case Field::dtype:
        return core::isMixed(m_workload.dtype) ? tr("fp32 weights, cast where they are used") : QString();
    case Field::train:
        return problem(field).isEmpty() ? trainHint(*m_model, m_workload.train) : QString();
    case Field::loss:
        return m_workload.lossChunks > 0 ? tr("logits of one part of the tokens at a time") : QString();
    case Field::updateInBackward:
        return m_workload.updateInBackward ? tr("each gradient is used and freed at once") : QString();
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

std::optional<MemoryLimit> SetupModel::memoryLimit() const
{
    std::optional<MemoryLimit> limit;
    const auto device = std::find_if(m_devices.begin(), m_devices.end(),
                                     [this](const core::DeviceInfo &info) { return info.id == m_workload.device; });
    if (device != m_devices.end() && device->totalBytes > 0)
        limit = {device->totalBytes, false, QString::fromStdString(device->name.empty() ? device->id : device->name)};
    if (m_workload.memoryBudget > 0 && (!limit || m_workload.memoryBudget < limit->bytes))
        limit = {m_workload.memoryBudget, true, {}};
    return limit;
}

std::vector<PeakSummary::Part> SetupModel::certainBytes() const
{
    if (!m_model || !problem(Field::train).isEmpty())
        return {};
    const core::ParameterCount count = core::countParameters(*m_model, m_workload.train);
    const core::Bytes element = core::weightElementSize(m_workload.dtype);
    const core::Bytes weights = element * count.total;
    const core::Bytes gradients = m_workload.updateInBackward ? 0 : element * count.trainable;
    const core::Bytes states = core::leastBytes(*m_model, m_workload) - weights - gradients;
    std::vector<PeakSummary::Part> parts{{core::Category::parameter, weights}};
    if (gradients > 0)
        parts.push_back({core::Category::parameterGradient, gradients});
    if (states > 0)
        parts.push_back({core::Category::optimizerState, states});
    return parts;
}

} // namespace remat::ui
