// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>

#include "config/config_values.h"
#include "config/family_reading.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

/// The members of one object that scales rotary frequencies: rope_scaling, rope_parameters or a part of the latter.
class ScalingReader
{
public:
    ScalingReader(FamilyReading &reading, std::string key, const Json &object)
        : m_reading(reading), m_key(std::move(key)), m_object(object)
    {
    }

    /// Fills the model's scaling; says what it did.
    void read()
    {
        const Json *kind = member("rope_type") != nullptr ? member("rope_type") : member("type");
        if (kind == nullptr || isText(*kind, "default") || isText(*kind, "mrope"))
            return notePlain();
        if (isText(*kind, "linear"))
            return readLinear();
        if (isText(*kind, "llama3"))
            return readLlama3();
        if (isText(*kind, "yarn"))
            return readYarn();
        if (isText(*kind, "longrope") || isText(*kind, "su"))
            return readLongrope();
        if (isText(*kind, "dynamic"))
            return m_reading.ignore(m_key, "dynamic scaling changes nothing up to the model's own positions");
        m_reading.refuseSentence("the rope_type in " + m_key + " is " + shortText(*kind)
                                 + "; allowed are default, linear, dynamic, llama3, yarn and longrope");
    }

    [[nodiscard]] const Json *member(const char *name) const
    {
        const auto found = m_object.find(name);
        return found == m_object.end() || found->is_null() ? nullptr : &*found;
    }

    double number(const char *name, double assumed, double smallest, double largest)
    {
        const Json *json = member(name);
        if (json == nullptr)
            return assumed;
        const double found = json->is_number() ? json->get<double>() : std::nan("");
        if (found >= smallest && found <= largest)
            return found;
        m_reading.refuseSentence(std::string(name) + " in " + m_key + " is " + shortText(*json)
                                 + "; allowed are numbers from " + plainNumber(smallest) + " to "
                                 + plainNumber(largest));
        return assumed;
    }

private:
    static constexpr double kMost = 1e9;

    RopeScaling &scaling() { return m_reading.model.ropeScaling; }

    void take(RopeKind kind)
    {
        scaling().kind = kind;
        scaling().factor = number("factor", 1.0, 1e-6, kMost);
    }

    void note(const std::string &what) { m_reading.derive(m_key, what, "the scaled rotary frequencies that are run"); }

    void notePlain()
    {
        if (member("mrope_section") != nullptr)
            m_reading.ignore(m_key, "text has the same position in all sections, so the frequencies are plain");
    }

    double originalPositions()
    {
        const double own = static_cast<double>(m_reading.model.positions);
        const auto besides = m_reading.count("original_max_position_embeddings", 1, std::int64_t(1) << 27);
        return number("original_max_position_embeddings", besides ? static_cast<double>(*besides) : own, 1.0, kMost);
    }

    void readLinear()
    {
        take(RopeKind::linear);
        note("linear, factor " + plainNumber(scaling().factor));
    }

    void readLlama3()
    {
        take(RopeKind::llama3);
        scaling().lowFactor = number("low_freq_factor", 1.0, 1e-6, kMost);
        scaling().highFactor = number("high_freq_factor", 4.0, 1e-6, kMost);
        scaling().originalPositions = originalPositions();
        note("llama3, factor " + plainNumber(scaling().factor));
    }

    /// The factor on cosines and sines: YaRN's 0.1 ln s + 1 (section 3.4), or the quotient of two such with the mscale
    /// pair, as transformers/modeling_rope_utils.py has it.
    double yarnAttention()
    {
        const auto grown = [&](double weight) {
            return scaling().factor <= 1.0 ? 1.0 : 0.1 * weight * std::log(scaling().factor) + 1.0;
        };
        const double scale = number("mscale", 0.0, 0.0, kMost);
        const double scaleAll = number("mscale_all_dim", 0.0, 0.0, kMost);
        const double usual = scale > 0.0 && scaleAll > 0.0 ? grown(scale) / grown(scaleAll) : grown(1.0);
        return number("attention_factor", usual, 1e-6, kMost);
    }

    void readYarn()
    {
        take(RopeKind::yarn);
        scaling().betaFast = number("beta_fast", 32.0, 1e-6, kMost);
        scaling().betaSlow = number("beta_slow", 1.0, 1e-6, kMost);
        scaling().originalPositions = originalPositions();
        scaling().attention = yarnAttention();
        note("yarn, factor " + plainNumber(scaling().factor));
        if (const Json *truncate = member("truncate"); truncate != nullptr && isUnset(*truncate))
            m_reading.warn(m_key, "the ramp of yarn is rounded to whole pairs here all the same");
        if (const Json *beta = member("llama_4_scaling_beta"); beta != nullptr && !isUnset(*beta))
            m_reading.warn(m_key,
                           "the growth of queries with the position (llama_4_scaling_beta) is not applied; bytes and "
                           "times of a step are the same");
    }

    /// sqrt(1 + ln s / ln L): LongRoPE's factor as in configuration and model of phi3.
    void readLongrope()
    {
        take(RopeKind::longrope);
        scaling().originalPositions = originalPositions();
        const double stretched
            = static_cast<double>(m_reading.model.positions) / std::max(2.0, scaling().originalPositions);
        const double usual = stretched <= 1.0
            ? 1.0
            : std::sqrt(1.0 + std::log(stretched) / std::log(std::max(2.0, scaling().originalPositions)));
        scaling().attention = number("attention_factor", usual, 1e-6, kMost);
        const Json *factors = member("short_factor");
        if (factors == nullptr || !factors->is_array() || factors->size() > kMostFactors)
            return m_reading.refuseSentence("short_factor in " + m_key
                                            + " is missing or no list; longrope needs a list of numbers");
        for (const Json &factor : *factors) {
            if (!factor.is_number())
                return m_reading.refuseSentence("short_factor in " + m_key + " holds " + shortText(factor)
                                                + "; longrope needs a list of numbers");
            scaling().factors.push_back(factor.get<double>());
        }
        note("longrope with its short factors; the long ones are for more than "
             + plainNumber(scaling().originalPositions) + " positions");
    }

    FamilyReading &m_reading;
    std::string m_key;
    const Json &m_object;
};

constexpr double kLargestBase = 1e12;

/// rope_parameters with one object for the layers that see all and one for those that see a window.
void readPerKind(FamilyReading &reading, const Json &parameters)
{
    const auto full = parameters.find("full_attention");
    const auto windowed = parameters.find("sliding_attention");
    if (full != parameters.end() && full->is_object()) {
        ScalingReader reader(reading, "rope_parameters", *full);
        reading.model.ropeTheta = reader.number("rope_theta", reading.model.ropeTheta, 1.0, kLargestBase);
        reader.read();
    }
    if (windowed != parameters.end() && windowed->is_object()) {
        const double base
            = reading.model.ropeThetaWindowed > 0.0 ? reading.model.ropeThetaWindowed : reading.model.ropeTheta;
        reading.model.ropeThetaWindowed
            = ScalingReader(reading, "rope_parameters", *windowed).number("rope_theta", base, 1.0, kLargestBase);
    }
    reading.derive("rope_parameters", plainNumber(reading.model.ropeTheta),
                   "the rotary base of layers that see all positions is read from here");
}

void readParameters(FamilyReading &reading, const Json &parameters)
{
    ScalingReader reader(reading, "rope_parameters", parameters);
    if (reader.member("partial_rotary_factor") != nullptr)
        reading.dropAssumed("partial_rotary_factor");
    if (reader.member("rope_theta") != nullptr) {
        reading.dropAssumed("rope_theta");
        reading.model.ropeTheta = reader.number("rope_theta", reading.model.ropeTheta, 1.0, kLargestBase);
        reading.derive("rope_parameters", plainNumber(reading.model.ropeTheta), "rope_theta is read from here");
    }
    reading.model.rotaryFraction = reader.number("partial_rotary_factor", reading.model.rotaryFraction, 1e-6, 1.0);
    reader.read();
}

} // namespace

void readRotaryExtras(FamilyReading &reading, ScalingReach reach)
{
    if (const Json *scaling = reading.value("rope_scaling"); scaling != nullptr && !isUnset(*scaling)) {
        if (!scaling->is_object())
            return reading.refuse("rope_scaling", "allowed is an object, for example {\"rope_type\": \"default\"}");
        ScalingReader(reading, "rope_scaling", *scaling).read();
    }
    if (const Json *parameters = reading.value("rope_parameters"); parameters != nullptr) {
        if (!parameters->is_object())
            return reading.refuse("rope_parameters", "allowed is an object, for example {\"rope_theta\": 10000.0}");
        if (parameters->contains("full_attention") || parameters->contains("sliding_attention"))
            readPerKind(reading, *parameters);
        else
            readParameters(reading, *parameters);
    }
    if (reading.value("original_max_position_embeddings") != nullptr)
        reading.ignore("original_max_position_embeddings", "concerns the scaling of rotary frequencies only");
    ModelConfig &model = reading.model;
    if (reach == ScalingReach::fullLayersOnly && model.ropeThetaWindowed == 0.0
        && model.ropeScaling.kind != RopeKind::plain)
        model.ropeThetaWindowed = model.ropeTheta;
}

void noteInterleavedRotary(FamilyReading &reading)
{
    reading.assume("rotary pairs", "halves",
                   "the family turns neighbouring elements; run with halves, which is the same up to a fixed order of "
                   "the columns of query and key, in the same shapes");
}

} // namespace remat::core
