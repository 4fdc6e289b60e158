// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/rotary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace remat::core {

namespace {

/// Frequencies by parts as in Llama 3.1 (_compute_llama3_parameters of transformers/modeling_rope_utils.py): long waves
/// are stretched by the factor, short ones kept, and those between blended by how often they turn in the first context.
double llama3Frequency(double frequency, const RopeScaling &scaling)
{
    const double turns = scaling.originalPositions * frequency / (2.0 * std::numbers::pi);
    if (turns < scaling.lowFactor)
        return frequency / scaling.factor;
    if (turns > scaling.highFactor)
        return frequency;
    const double blend = (turns - scaling.lowFactor) / (scaling.highFactor - scaling.lowFactor);
    return (1.0 - blend) * frequency / scaling.factor + blend * frequency;
}

/// NTK-by-parts (YaRN, arXiv 2309.00071, definition 2 in section 3.2), with the ramp over pair indices rounded to whole
/// ones as its authors' code does: pairs that turn more than betaFast times are kept, below betaSlow stretched.
class YarnRamp
{
public:
    YarnRamp(const RopeScaling &scaling, double base, double rotated) : m_factor(scaling.factor)
    {
        const auto pairTurning = [&](double turns) {
            return rotated * std::log(scaling.originalPositions / (turns * 2.0 * std::numbers::pi))
                / (2.0 * std::log(base));
        };
        m_low = std::max(std::floor(pairTurning(scaling.betaFast)), 0.0);
        m_high = std::min(std::ceil(pairTurning(scaling.betaSlow)), rotated - 1.0);
        if (m_low == m_high)
            m_high += 0.001;
    }

    [[nodiscard]] double apply(double frequency, std::size_t pair) const
    {
        const double stretched = std::clamp((static_cast<double>(pair) - m_low) / (m_high - m_low), 0.0, 1.0);
        return frequency / m_factor * stretched + frequency * (1.0 - stretched);
    }

private:
    double m_factor = 1.0;
    double m_low = 0.0;
    double m_high = 0.0;
};

bool hasOwnBase(const ModelConfig &model, bool windowed)
{
    return windowed && model.ropeThetaWindowed > 0.0;
}

void scale(std::vector<double> &frequencies, const ModelConfig &model)
{
    const RopeScaling &scaling = model.ropeScaling;
    const YarnRamp ramp(scaling, model.ropeTheta, static_cast<double>(rotatedSize(model)));
    for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
        double &frequency = frequencies[pair];
        switch (scaling.kind) {
        case RopeKind::plain:
            break;
        case RopeKind::linear: // position interpolation, arXiv 2306.15595, equation 4
            frequency /= scaling.factor;
            break;
        case RopeKind::llama3:
            frequency = llama3Frequency(frequency, scaling);
            break;
        case RopeKind::yarn:
            frequency = ramp.apply(frequency, pair);
            break;
        case RopeKind::longrope: // LongRoPE, arXiv 2402.13753, equation 2: a factor for each pair
            frequency /= scaling.factors[pair];
            break;
        }
    }
}

/// 2^(-8/n), 2^(-16/n), …: the paper's sequence for n heads.
double slope(std::int64_t index, std::int64_t heads)
{
    return std::exp2(-8.0 * static_cast<double>(index + 1) / static_cast<double>(heads));
}

} // namespace

std::int64_t rotatedSize(const ModelConfig &model)
{
    return static_cast<std::int64_t>(static_cast<double>(model.headSize) * model.rotaryFraction);
}

std::vector<double> rotaryFrequencies(const ModelConfig &model, bool windowed)
{
    const std::int64_t rotated = rotatedSize(model);
    const double base = hasOwnBase(model, windowed) ? model.ropeThetaWindowed : model.ropeTheta;
    std::vector<double> frequencies;
    frequencies.reserve(static_cast<std::size_t>(rotated / 2));
    for (std::int64_t pair = 0; pair < rotated / 2; ++pair)
        frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(rotated)));
    if (!hasOwnBase(model, windowed))
        scale(frequencies, model);
    return frequencies;
}

double rotaryAttentionFactor(const ModelConfig &model, bool windowed)
{
    return hasOwnBase(model, windowed) ? 1.0 : model.ropeScaling.attention;
}

std::vector<double> alibiSlopes(std::int64_t heads)
{
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    std::vector<double> slopes;
    slopes.reserve(static_cast<std::size_t>(heads));
    for (std::int64_t head = 0; head < power; ++head)
        slopes.push_back(slope(head, power));
    for (std::int64_t head = 0; power + head < heads; ++head)
        slopes.push_back(slope(2 * head, 2 * power));
    return slopes;
}

} // namespace remat::core
