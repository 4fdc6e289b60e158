// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "config/model_limits.h"
#include "model/workload.h"

namespace remat::core {

namespace {

template <typename E>
using Names = std::span<const std::pair<E, std::string_view>>;

constexpr std::array<std::pair<Dtype, std::string_view>, 2> kDtypes = {{{Dtype::fp32, "fp32"}, {Dtype::bf16, "bf16"}}};
constexpr std::array<std::pair<AttentionKernel, std::string_view>, 2> kKernels
    = {{{AttentionKernel::math, "math"}, {AttentionKernel::sdpa, "sdpa"}}};
constexpr std::array<std::pair<GradientRule, std::string_view>, 2> kRules
    = {{{GradientRule::freed, "freed"}, {GradientRule::kept, "kept"}}};

template <typename E>
std::string_view nameOf(Names<E> names, E value)
{
    for (const auto &[candidate, name] : names)
        if (candidate == value)
            return name;
    return "unknown";
}

/// Reads the members of one untrusted object; the first thing that is wrong is kept as the error. Absent keys leave the
/// target at its default, so that documents of older versions can be read.
class Fields
{
public:
    Fields(const Json &object, std::string_view what) : m_object(object), m_what(what)
    {
        if (!object.is_object())
            fail("is not a JSON object");
    }

    template <typename T>
    Fields &read(const char *key, T &target)
    {
        const Json *found = find(key);
        if (found == nullptr)
            return *this;
        if constexpr (std::is_same_v<T, bool>)
            return assign(key, found->is_boolean(), target, *found);
        else if constexpr (std::is_floating_point_v<T>)
            return assign(key, found->is_number(), target, *found);
        else if constexpr (std::is_same_v<T, std::string>)
            return assign(key, found->is_string(), target, *found);
        else
            return assign(key, fitsInteger<T>(*found), target, *found);
    }

    template <typename E>
    Fields &readName(const char *key, Names<E> names, E &target)
    {
        const Json *found = find(key);
        if (found == nullptr)
            return *this;
        for (const auto &[value, name] : names)
            if (found->is_string() && found->get_ref<const std::string &>() == name) {
                target = value;
                return *this;
            }
        return fail("has an unknown value for '" + std::string(key) + "'");
    }

    Fields &fail(const std::string &why)
    {
        if (!m_error)
            m_error = Error{ErrorCode::refused, std::string(m_what) + " " + why + "."};
        return *this;
    }

    const Json *find(const char *key) const
    {
        if (m_error)
            return nullptr;
        const auto found = m_object.find(key);
        return found == m_object.end() ? nullptr : &*found;
    }

    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    template <typename T>
    static bool fitsInteger(const Json &value)
    {
        if (value.is_number_unsigned())
            return std::in_range<T>(value.get<std::uint64_t>());
        return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    }

    template <typename T>
    Fields &assign(const char *key, bool fits, T &target, const Json &value)
    {
        if (!fits)
            return fail("has a value of the wrong kind for '" + std::string(key) + "'");
        target = value.get<T>();
        return *this;
    }

    const Json &m_object;
    std::string_view m_what;
    std::optional<Error> m_error;
};

constexpr std::array<std::pair<Activation, std::string_view>, 4> kActivations = {{{Activation::gelu, "gelu"},
                                                                                  {Activation::geluTanh, "gelu_tanh"},
                                                                                  {Activation::silu, "silu"},
                                                                                  {Activation::relu, "relu"}}};
constexpr std::array<std::pair<NormKind, std::string_view>, 2> kNorms
    = {{{NormKind::layerNorm, "layer_norm"}, {NormKind::rmsNorm, "rms_norm"}}};
constexpr std::array<std::pair<PositionKind, std::string_view>, 2> kPositions
    = {{{PositionKind::learned, "learned"}, {PositionKind::rotary, "rotary"}}};
constexpr std::array<std::pair<Support, std::string_view>, 4> kSupports = {{{Support::full, "full"},
                                                                            {Support::denseShape, "dense-shape"},
                                                                            {Support::textPart, "text-part"},
                                                                            {Support::refused, "refused"}}};

Json notesToJson(const std::vector<ConfigNote> &notes)
{
    Json list = Json::array();
    for (const ConfigNote &note : notes)
        list.push_back({{"key", note.key}, {"value", note.value}, {"why", note.why}});
    return list;
}

void readNotes(Fields &fields, const char *key, std::vector<ConfigNote> &notes)
{
    const Json *list = fields.find(key);
    if (list == nullptr)
        return;
    if (!list->is_array()) {
        fields.fail("has a value of the wrong kind for '" + std::string(key) + "'");
        return;
    }
    for (const Json &entry : *list) {
        ConfigNote note;
        Fields members(entry, "A note of the model");
        members.read("key", note.key).read("value", note.value).read("why", note.why);
        if (members.error())
            fields.fail("has a note under '" + std::string(key) + "' that cannot be read");
        notes.push_back(std::move(note));
    }
}

std::string fnv1a(std::string_view text)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211ULL;
    }
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- > 0; hash >>= 4)
        digits[i] = "0123456789abcdef"[hash & 15U];
    return digits;
}

} // namespace

std::string_view toString(Dtype dtype)
{
    return nameOf<Dtype>(kDtypes, dtype);
}
std::string_view toString(AttentionKernel kernel)
{
    return nameOf<AttentionKernel>(kKernels, kernel);
}
std::string_view toString(GradientRule rule)
{
    return nameOf<GradientRule>(kRules, rule);
}

Json toJson(const Workload &w)
{
    return {{"batch", w.batch},
            {"seq", w.seq},
            {"micro_batches", w.microBatches},
            {"dtype", toString(w.dtype)},
            {"attention", toString(w.attention)},
            {"dropout", w.dropout},
            {"attention_dropout", w.attentionDropout},
            {"optimizer", optimizerText(w)},
            {"grads", toString(w.gradients)},
            {"clip", w.clip},
            {"data", cleanUtf8(w.data)},
            {"seed", w.seed},
            {"device", w.device},
            {"threads", w.threads},
            {"memory_budget", w.memoryBudget}};
}

Result<Workload> workloadFromJson(const Json &json)
{
    Workload w;
    std::string optimizer = optimizerText(w);
    Fields fields(json, "The workload");
    fields.read("batch", w.batch).read("seq", w.seq).read("micro_batches", w.microBatches);
    fields.readName<Dtype>("dtype", kDtypes, w.dtype).readName<AttentionKernel>("attention", kKernels, w.attention);
    fields.read("dropout", w.dropout).read("attention_dropout", w.attentionDropout).read("optimizer", optimizer);
    fields.readName<GradientRule>("grads", kRules, w.gradients).read("clip", w.clip).read("data", w.data);
    fields.read("seed", w.seed).read("device", w.device).read("threads", w.threads);
    fields.read("memory_budget", w.memoryBudget);
    if (fields.error())
        return *fields.error();
    if (auto parsed = parseOptimizer(optimizer, w); !parsed)
        return parsed.error();
    return w;
}

Json toJson(const ModelConfig &m)
{
    return {{"name", cleanUtf8(m.name)},
            {"family", m.family},
            {"support", nameOf<Support>(kSupports, m.support)},
            {"reason", m.supportReason},
            {"layers", m.layers},
            {"width", m.width},
            {"heads", m.heads},
            {"kv_heads", m.kvHeads},
            {"head_size", m.headSize},
            {"ffn_width", m.ffnWidth},
            {"gated_ffn", m.gatedFfn},
            {"vocabulary", m.vocabulary},
            {"positions", m.positions},
            {"activation", nameOf<Activation>(kActivations, m.activation)},
            {"norm", nameOf<NormKind>(kNorms, m.norm)},
            {"norm_placement", "pre"},
            {"norm_epsilon", m.normEpsilon},
            {"norm_unit_offset", m.normUnitOffset},
            {"qk_norm", m.qkNorm},
            {"position", nameOf<PositionKind>(kPositions, m.position)},
            {"rope_theta", m.ropeTheta},
            {"rotary_fraction", m.rotaryFraction},
            {"embedding_scale", m.embeddingScale},
            {"sliding_window", m.slidingWindow},
            {"qkv_bias", m.qkvBias},
            {"attention_out_bias", m.attentionOutBias},
            {"ffn_bias", m.ffnBias},
            {"norm_bias", m.normBias},
            {"head_bias", m.headBias},
            {"tied_head", m.tiedHead},
            {"embedding_dropout", m.embeddingDropout},
            {"residual_dropout", m.residualDropout},
            {"attention_dropout", m.attentionDropout},
            {"initializer_range", m.initializerRange},
            {"derived", notesToJson(m.derived)},
            {"defaulted", notesToJson(m.defaulted)},
            {"ignored", notesToJson(m.ignored)},
            {"warnings", notesToJson(m.warnings)}};
}

Result<ModelConfig> modelFromJson(const Json &json)
{
    ModelConfig m;
    Fields fields(json, "The model");
    fields.read("name", m.name).read("family", m.family).readName<Support>("support", kSupports, m.support);
    fields.read("reason", m.supportReason).read("layers", m.layers).read("width", m.width).read("heads", m.heads);
    fields.read("kv_heads", m.kvHeads).read("head_size", m.headSize).read("ffn_width", m.ffnWidth);
    fields.read("gated_ffn", m.gatedFfn).read("vocabulary", m.vocabulary).read("positions", m.positions);
    fields.readName<Activation>("activation", kActivations, m.activation).readName<NormKind>("norm", kNorms, m.norm);
    fields.read("norm_epsilon", m.normEpsilon).read("norm_unit_offset", m.normUnitOffset).read("qk_norm", m.qkNorm);
    fields.readName<PositionKind>("position", kPositions, m.position).read("rope_theta", m.ropeTheta);
    fields.read("rotary_fraction", m.rotaryFraction).read("embedding_scale", m.embeddingScale);
    fields.read("sliding_window", m.slidingWindow).read("qkv_bias", m.qkvBias);
    fields.read("attention_out_bias", m.attentionOutBias).read("ffn_bias", m.ffnBias).read("norm_bias", m.normBias);
    fields.read("head_bias", m.headBias).read("tied_head", m.tiedHead).read("embedding_dropout", m.embeddingDropout);
    fields.read("residual_dropout", m.residualDropout).read("attention_dropout", m.attentionDropout);
    fields.read("initializer_range", m.initializerRange);
    readNotes(fields, "derived", m.derived);
    readNotes(fields, "defaulted", m.defaulted);
    readNotes(fields, "ignored", m.ignored);
    readNotes(fields, "warnings", m.warnings);
    if (!fields.error())
        if (const std::string problem = shapeProblem(m); !problem.empty())
            fields.fail(problem);
    if (fields.error())
        return *fields.error();
    return m;
}

std::string workloadHash(const ModelConfig &model, const Workload &workload)
{
    Json shape = toJson(model);
    // Names and remarks say nothing about the step, and a budget only says whether it may run.
    for (const char *key : {"name", "support", "reason", "derived", "defaulted", "ignored", "warnings"})
        shape.erase(key);
    Json step = toJson(workload);
    step.erase("memory_budget");
    return fnv1a(shape.dump() + step.dump());
}

} // namespace remat::core
