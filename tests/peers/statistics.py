"""Random inputs for every analysis that R can check: `gramc stat` beside R's own tests, quantiles and
distributions, and beside formulas written a second time in R. Exit 77 where R is not installed.

    statistics.py GRAMC [COUNT] [SEED]
"""
import json
import random
import shutil
import subprocess
import sys
import tempfile

R_FUNCTIONS = r"""
options(digits = 17, warn = -1)
wilson <- function(k, n, conf) { r <- prop.test(k, n, conf.level = conf, correct = FALSE)$conf.int; list(lower = r[1], upper = r[2]) }
exact <- function(k, n, conf) { r <- binom.test(k, n, conf.level = conf)$conf.int; list(lower = r[1], upper = r[2]) }
mcnemar_p <- function(b, c) {
  m <- min(b, c); n <- b + c
  e <- if (n == 0) 1 else min(1, binom.test(b, n)$p.value)
  list(p_exact = e, p_midp = if (b == c) 1 else 2 * pbinom(m, n, .5) - dbinom(m, n, .5))
}
mcnemar_chi <- function(b, c) {
  t <- matrix(c(5, b, c, 5), 2); u <- mcnemar.test(t, correct = FALSE); v <- mcnemar.test(t)
  list(stat = unname(u$statistic), p = u$p.value, stat_cc = unname(v$statistic), p_cc = v$p.value)
}
score <- function(k, n, conf) { p <- k / n; z <- qnorm((1 + conf) / 2); m <- p + z^2 / (2 * n); h <- z * sqrt(p * (1 - p) / n + z^2 / (4 * n^2)); s <- 1 + z^2 / n; c((m - h) / s, (m + h) / s) }
newcombe <- function(k1, n1, k2, n2, conf) {
  a <- score(k1, n1, conf); b <- score(k2, n2, conf); p <- k1 / n1; q <- k2 / n2
  list(delta = p - q, lower = p - q - sqrt((p - a[1])^2 + (b[2] - q)^2), upper = p - q + sqrt((a[2] - p)^2 + (q - b[1])^2))
}
# The restricted likelihood is maximised by R, not by the formula for its root.
tango <- function(b, c, n, conf) {
  z <- qnorm((1 + conf) / 2); d <- (b - c) / n
  stat <- function(D) {
    f <- function(q) { s <- 0; if (b > 0) s <- s + b / (q + D); if (c > 0) s <- s + c / q; s - 2 * (n - b - c) / (1 - 2 * q - D) }
    lo <- max(0, -D); hi <- (1 - D) / 2; e <- 1e-13
    q <- if (b + c == 0 || f(lo + e) <= 0) lo else uniroot(f, c(lo + e, hi - e), tol = 1e-15)$root
    (b - c - n * D) / sqrt(n * (2 * q + D * (1 - D)))
  }
  list(delta = d, lower = uniroot(function(D) stat(D) - z, c(-1 + 1e-9, d - 1e-9), tol = 1e-14)$root,
       upper = uniroot(function(D) stat(D) + z, c(d + 1e-9, 1 - 1e-9), tol = 1e-14)$root)
}
paired <- function(a, b, conf) {
  r <- t.test(a, b, paired = TRUE, conf.level = conf)
  list(mean_diff = unname(r$estimate), se = unname(r$stderr), t = unname(r$statistic), df = unname(r$parameter), p = r$p.value, lower = r$conf.int[1], upper = r$conf.int[2])
}
welch <- function(a, b, conf) {
  r <- t.test(a, b, conf.level = conf)
  list(mean_diff = unname(r$estimate[1] - r$estimate[2]), se = unname(r$stderr), t = unname(r$statistic), df = unname(r$parameter), p = r$p.value, lower = r$conf.int[1], upper = r$conf.int[2])
}
two_rates <- function(k1, n1, k2, n2) { r <- suppressWarnings(prop.test(c(k1, k2), c(n1, n2), correct = FALSE)); list(chisq = unname(r$statistic), p = r$p.value) }
ratio <- function(a, b, conf) { r <- t.test(log(a), log(b), paired = TRUE, conf.level = conf); list(ratio = exp(unname(r$estimate)), lower = exp(r$conf.int[1]), upper = exp(r$conf.int[2])) }
flips <- function(d) {
  s <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(d)))) %*% d; t <- sum(d); e <- 1e-9
  list(p_two_sided = mean(abs(s) >= abs(t) - e), p_greater = mean(s >= t - e))
}
signed_ranks <- function(d) {
  v <- unname(wilcox.test(d, exact = FALSE)$statistic); r <- rank(abs(d[d != 0]))
  s <- as.matrix(expand.grid(rep(list(0:1), length(r)))) %*% r
  list(V = v, p_exact = min(1, 2 * min(mean(s <= v + 1e-9), mean(s >= v - 1e-9))), p_normal_cc = wilcox.test(d, exact = FALSE, correct = TRUE)$p.value)
}
clustered <- function(x, g, conf) {
  m <- mean(x); s <- tapply(x - m, g, sum); G <- length(s); se <- sqrt(sum(s^2)) / length(x); c1 <- se * sqrt(G / (G - 1)); h <- qt((1 + conf) / 2, G - 1) * c1
  list(mean = m, se_miller = se, se_cr1 = c1, clusters = G, lower_t_cr1 = m - h, upper_t_cr1 = m + h)
}
cuped <- function(y, x, mu) { th <- cov(y, x) / var(x); a <- y - th * (x - mu); list(theta = th, mean_adj = mean(a), var_y = var(y), var_adj = var(a), rho2 = cor(x, y)^2) }
adjusted <- function(p) list(holm = p.adjust(p, "holm"), BH = p.adjust(p, "BH"), BY = p.adjust(p, "BY"), hochberg = p.adjust(p, "hochberg"), bonferroni = p.adjust(p, "bonferroni"))
power2 <- function(n, p1, p2, a) list(power = power.prop.test(n, p1, p2, a)$power, power_strict = power.prop.test(n, p1, p2, a, strict = TRUE)$power)
items2 <- function(p1, p2, a, power) { n <- power.prop.test(NULL, p1, p2, a, power, tol = 1e-12)$n; list(n_per_arm = n, n_ceil = ceiling(n)) }
power_pairs <- function(n, p10, p01, a) {
  e <- 0; m <- 0
  for (b in 0:n) for (c in 0:(n - b)) {
    w <- dmultinom(c(b, c, n - b - c), prob = c(p10, p01, 1 - p10 - p01)); k <- b + c; s <- min(b, c)
    pe <- if (b == c) 1 else 2 * pbinom(s, k, .5); pm <- if (b == c) 1 else pe - dbinom(s, k, .5)
    if (pe <= a) e <- e + w; if (pm <= a) m <- m + w
  }
  list(power_exact = e, power_midp = m)
}
pass <- function(n, c, k) list(pass_at_k = 1 - choose(n - c, k) / choose(n, k), pass_hat_k = choose(c, k) / choose(n, k))
ranks <- function(n, p, conf) { a <- (1 - conf) / 2; l <- qbinom(a, n, p); u <- qbinom(1 - a, n, p) + 1; list(rank_lower = l, rank_upper = u, coverage = pbinom(u - 1, n, p) - pbinom(l - 1, n, p)) }
srm <- function(o, w) { r <- chisq.test(o, p = w / sum(w)); list(chisq = unname(r$statistic), df = unname(r$parameter), p = r$p.value) }
evalue <- function(b, c, a0, b0) { e <- exp(lbeta(b + a0, c + b0) - lbeta(a0, b0) + (b + c) * log(2)); list(e = e, p_anytime = min(1, 1 / e)) }
rate_cs <- function(k, n, a) {
  f <- function(p) dbeta(p, k + 1, n - k + 1, log = TRUE) - log(a)
  list(lower = if (k == 0) 0 else uniroot(f, c(1e-300, k / n), tol = 1e-15)$root, upper = if (k == n) 1 else uniroot(f, c(k / n, 1 - 1e-16), tol = 1e-15)$root)
}
out <- function(id, r) for (name in names(r)) cat(id, name, paste(sprintf("%.17g", r[[name]]), collapse = ","), "\n", sep = "\t")
"""


def numbers(rng, count, low=-1.0, high=1.0, digits=2):
    return [round(rng.uniform(low, high), digits) for _ in range(count)]


def table(rng):
    n = rng.randint(1, 300)
    b = rng.randint(0, n)
    return b, rng.randint(0, n - b), n


def clusters(rng, n):
    return [1, 2] + [rng.randint(1, 6) for _ in range(n - 2)]


def interior(rng):
    """b, c, n whose interval ends inside of (-1, 1)."""
    while True:
        b, c, n = table(rng)
        if n > 9 and b + c < n - 3:
            return b, c, n


def draws(rng):
    """(method, inputs, R call) of one random case of each method."""
    conf = rng.choice([0.8, 0.9, 0.95, 0.99])
    n = rng.randint(1, 400)
    k = rng.randint(0, n)
    yield "qnorm", {"p": (p := rng.random() or 0.5)}, f"list(z = qnorm({p!r}))"
    p, df = rng.random() or 0.5, round(10 ** rng.uniform(-0.3, 5), 3)
    yield "qt", {"p": p, "df": df}, f"list(t = qt({p!r}, {df!r}))"
    a, b, x = round(10 ** rng.uniform(-1, 4), 3), round(10 ** rng.uniform(-1, 4), 3), rng.random()
    yield "regularized_incomplete_beta", {"a": a, "b": b, "x": x}, f"list(p = pbeta({x!r}, {a!r}, {b!r}))"
    x, df = round(10 ** rng.uniform(-2, 3), 4), round(10 ** rng.uniform(-0.5, 3), 2)
    yield "chisq_sf", {"x": x, "df": df}, f"list(p = pchisq({x!r}, {df!r}, lower.tail = FALSE))"
    yield "wilson_ci", {"k": k, "n": n, "conf": conf}, f"wilson({k}, {n}, {conf})"
    yield "clopper_pearson_ci", {"k": k, "n": n, "conf": conf}, f"exact({k}, {n}, {conf})"
    k2, n2 = rng.randint(0, 50), 50
    yield ("newcombe_hybrid_score_unpaired_ci", {"k1": k, "n1": n, "k2": k2, "n2": n2, "conf": conf},
           f"newcombe({k}, {n}, {k2}, {n2}, {conf})")
    yield "two_rates_chisq", {"k1": k + 1, "n1": n + 2, "k2": k2, "n2": n2}, f"two_rates({k + 1}, {n + 2}, {k2}, {n2})"
    b, c, n = interior(rng)
    yield "tango_score_paired_diff_ci", {"b": b, "c": c, "n": n, "conf": conf}, f"tango({b}, {c}, {n}, {conf})"
    b, c = rng.randint(0, 80), rng.randint(1, 80)
    yield "mcnemar_exact_midp", {"b": b, "c": c}, f"mcnemar_p({b}, {c})"
    yield "mcnemar_chisq", {"b": b, "c": c}, f"mcnemar_chi({b}, {c})"
    vector = lambda v: "c(" + ", ".join(map(repr, v)) + ")"
    m = rng.randint(3, 40)
    u, v = numbers(rng, m), numbers(rng, m)
    yield "paired_t", {"a": u, "b": v, "conf": conf}, f"paired({vector(u)}, {vector(v)}, {conf})"
    w = numbers(rng, rng.randint(2, 40))
    yield "welch_t", {"a": u, "b": w, "conf": conf}, f"welch({vector(u)}, {vector(w)}, {conf})"
    u, v = numbers(rng, m, 0.1, 900), numbers(rng, m, 0.1, 900)
    yield "paired_geometric_mean_ratio", {"a": u, "b": v, "conf": conf}, f"ratio({vector(u)}, {vector(v)}, {conf})"
    d = numbers(rng, rng.randint(1, 11), digits=rng.choice([0, 1, 2]))
    yield "paired_permutation_signflip_exact", {"d": d}, f"flips({vector(d)})"
    d = [x or 0.5 for x in numbers(rng, rng.randint(3, 11), digits=rng.choice([1, 2]))] + [0.0]
    yield "wilcoxon_signed_rank", {"d": d, "zeros": "wilcox"}, f"signed_ranks({vector(d)})"
    g = clusters(rng, m)
    yield "clustered_se_mean", {"x": u, "cluster": g, "conf": conf}, f"clustered({vector(u)}, {vector(g)}, {conf})"
    yield "cuped", {"y": u, "x": v, "x_population_mean": 300}, f"cuped({vector(u)}, {vector(v)}, 300)"
    ps = [round(rng.random() ** 2, 4) for _ in range(rng.randint(1, 20))]
    yield "p_adjust", {"p": ps}, f"adjusted({vector(ps)})"
    p1, p2, alpha = round(rng.uniform(0.05, 0.45), 2), round(rng.uniform(0.5, 0.95), 2), rng.choice([0.01, 0.05, 0.1])
    n = rng.randint(5, 500)
    yield "two_proportion_power", {"n_per_arm": n, "p1": p1, "p2": p2, "alpha": alpha}, f"power2({n}, {p1}, {p2}, {alpha})"
    yield ("two_proportion_sample_size", {"p1": p1 / 2, "p2": p2, "alpha": alpha, "power": 0.9},
           f"items2({p1 / 2!r}, {p2}, {alpha}, 0.9)")
    n, p10, p01 = rng.randint(1, 25), round(rng.uniform(0, 0.5), 2), round(rng.uniform(0.01, 0.4), 2)
    yield "mcnemar_exact_power", {"n": n, "p10": p10, "p01": p01, "alpha": alpha}, f"power_pairs({n}, {p10}, {p01}, {alpha})"
    runs = rng.randint(1, 40)
    c, k = rng.randint(0, runs), rng.randint(1, runs)
    yield "pass_at_k_and_pass_hat_k", {"n": runs, "c": c, "k": k}, f"pass({runs}, {c}, {k})"
    q = numbers(rng, 5, 0, 1)
    yield "quantile_type7", {"x": u, "p": q}, f"list(q = quantile({vector(u)}, {vector(q)}, type = 7))"
    n, p = rng.randint(1, 500), round(rng.uniform(0.02, 0.98), 2)
    yield "order_statistic_quantile_ci", {"n": n, "p": p, "conf": conf}, f"ranks({n}, {p}, {conf})"
    o, w = [rng.randint(0, 900) + 1 for _ in range(4)], numbers(rng, 4, 0.5, 3)
    yield "sample_ratio_mismatch_chisq", {"observed": o, "weights": w}, f"srm({vector(o)}, {vector(w)})"
    b, c = rng.randint(0, 60), rng.randint(0, 60)
    yield "mcnemar_beta_mixture_evalue", {"b": b, "c": c, "alpha0": 1, "beta0": 2}, f"evalue({b}, {c}, 1, 2)"
    n = rng.randint(1, 300)
    k = rng.randint(0, n)
    yield "beta_binomial_confidence_sequence", {"k": k, "n": n, "alpha": alpha}, f"rate_cs({k}, {n}, {alpha})"


def ask_r(cases):
    """{(case, field): [numbers]}, by one run of R."""
    with tempfile.NamedTemporaryFile("w", suffix=".R") as script:
        script.write(R_FUNCTIONS)
        for i, (_, _, call) in enumerate(cases):
            script.write(f"out({i}, {call})\n")
        script.flush()
        run = subprocess.run(["Rscript", "--vanilla", script.name], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"R failed: {run.stderr[-2000:]}")
    answers = {}
    for line in run.stdout.splitlines():
        case, field, values = line.split("\t")[:3]
        answers[int(case), field] = [float(value) for value in values.split(",")]
    return answers


def ask_gramc(gramc, method, inputs):
    run = subprocess.run([gramc, "stat", method], input=json.dumps(inputs), capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{method} {json.dumps(inputs)}: exit {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


# R's own roots end here; everything else is held to the tolerance of the vectors.
TOLERANCES = {"two_proportion_sample_size": 1e-6, "tango_score_paired_diff_ci": 1e-8,
              "beta_binomial_confidence_sequence": 1e-8, "clopper_pearson_ci": 1e-9}


def compare(cases, answers, gramc):
    wrong = compared = 0
    worst = 0.0
    for i, (method, inputs, _) in enumerate(cases):
        for field, value in ask_gramc(gramc, method, inputs).items():
            ours = value if isinstance(value, list) else [value]
            theirs = answers[i, field]
            for a, b in zip(ours, theirs, strict=True):
                compared += 1
                difference = abs(a - b) / max(1, abs(b))
                if difference > TOLERANCES.get(method, 1e-9):
                    wrong += 1
                    print(f"{method} {json.dumps(inputs)}: {field} is {a}, R has {b}")
                elif method not in TOLERANCES:
                    worst = max(worst, difference)
    return compared, wrong, worst


def main():
    gramc = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not shutil.which("Rscript"):
        print("R is not installed (Debian: r-base-core): skipped")
        return 77
    rng = random.Random(seed)
    cases = [case for _ in range(rounds) for case in draws(rng)]
    compared, wrong, worst = compare(cases, ask_r(cases), gramc)
    print(f"{len(cases)} cases, {compared} numbers, {wrong} wrong; largest relative difference {worst:.1e}")
    return 1 if wrong or compared < 2 * len(cases) else 0


if __name__ == "__main__":
    sys.exit(main())
