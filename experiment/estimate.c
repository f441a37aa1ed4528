/* Turns what runs have used, or the size of prompts, into what an experiment will use. A model's
 * tokenizer is not known here: a token is taken for 2 to 6 bytes of the request, which holds for
 * English, for JSON and for most scripts. */
#include "experiment/estimate.h"

static const double per_million = 1e6, bytes_most = 6, bytes_least = 2;

static const char *const names[] = {[ESTIMATE_NOTHING] = "none",
                                    [ESTIMATE_PROMPTS] = "prompts",
                                    [ESTIMATE_RECORDED] = "recorded runs",
                                    [ESTIMATE_EARLIER] = "earlier runs"};

const char *estimate_basis_name(enum estimate_basis basis) {
    return names[basis];
}

void usage_sum_add(struct usage_sum *sum, const struct attempt *attempt) {
    if (attempt->state != CELL_DONE || !attempt->has_tokens) return;
    sum->runs++;
    sum->requests += attempt->requests;
    sum->prompt += attempt->prompt_tokens;
    sum->cached += attempt->cached_tokens;
    sum->completion += attempt->completion_tokens;
    sum->judge_cost += attempt->judge_cost;
}

/* ## Ranges */

struct estimate_range estimate_exactly(double value) {
    return (struct estimate_range){value, value, true, true};
}

static struct estimate_range at_least(double low) {
    return (struct estimate_range){.low = low, .known = true};
}

static struct estimate_range between(double low, double high) {
    return (struct estimate_range){low, high > low ? high : low, true, true};
}

struct estimate_range estimate_add(struct estimate_range a, struct estimate_range b) {
    return (struct estimate_range){a.low + b.low, a.high + b.high, a.known && b.known,
                                   a.bounded && b.bounded};
}

static double money(const gramc_prices *prices, double input, double cached, double output) {
    double cached_price = prices->cached < 0 ? prices->input : prices->cached;
    if (cached > input) cached = input;
    return ((input - cached) * prices->input + cached * cached_price + output * prices->output) /
           per_million;
}

/* ## By what was used */

struct estimate_arm estimate_by_usage(enum estimate_basis basis, const struct usage_sum *sum,
                                      double runs, const gramc_prices *prices) {
    struct estimate_arm out = {.basis = basis, .seen = sum->runs};
    if (!sum->runs) return (struct estimate_arm){.basis = ESTIMATE_NOTHING};
    double share = runs / (double)sum->runs;
    out.requests = estimate_exactly((double)sum->requests * share);
    out.input = estimate_exactly((double)sum->prompt * share);
    out.output = estimate_exactly((double)sum->completion * share);
    if (prices)
        out.cost = estimate_exactly(
            money(prices, out.input.low, (double)sum->cached * share, out.output.low));
    return out;
}

/* ## By prompts */

/* Each turn's request holds the answers before it, of which none is longer than declared; what
 * tools and the user's next words add is known only where there are none. */
static struct estimate_range input_of(const struct prompt_sample *sample, double requests) {
    double bytes = (double)sample->bytes / (double)sample->prompts;
    double low = requests * bytes / bytes_most, each = bytes / bytes_least;
    if (sample->one_request && sample->turns <= 1) return between(low, requests * each);
    return sample->max_total ? between(low, (double)sample->max_total) : at_least(low);
}

static struct estimate_range output_of(const struct prompt_sample *sample, double least,
                                       double most) {
    double limit = most * (double)sample->max_tokens;
    if (sample->max_total && (!sample->max_tokens || (double)sample->max_total < limit))
        return between(least, (double)sample->max_total);
    return sample->max_tokens ? between(least, limit) : at_least(least);
}

static struct estimate_range times(struct estimate_range range, double factor) {
    range.low *= factor;
    range.high *= factor;
    return range;
}

struct estimate_arm estimate_by_prompts(const struct prompt_sample *sample, double runs,
                                        const gramc_prices *prices) {
    struct estimate_arm out = {.basis = ESTIMATE_PROMPTS, .seen = sample->prompts};
    if (!sample->prompts) return (struct estimate_arm){.basis = ESTIMATE_NOTHING};
    double least = sample->turns, most = least * (sample->one_request ? 1 : sample->max_iterations);
    out.requests = times(between(least, most), runs);
    out.input = times(input_of(sample, least), runs);
    out.output = times(output_of(sample, least, most), runs);
    if (!prices) return out;
    out.cost = at_least(money(prices, out.input.low, out.input.low, out.output.low));
    if (prices->cached < 0 || prices->cached > prices->input)
        out.cost.low = money(prices, out.input.low, 0, out.output.low);
    out.cost.bounded = out.input.bounded && out.output.bounded;
    if (out.cost.bounded) out.cost.high = money(prices, out.input.high, 0, out.output.high);
    return out;
}
