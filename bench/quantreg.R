# One non-negative least absolute deviations fit by R's quantreg, the yardstick of bench_nnlad's
# 200 x 20 case, on data of the same kind (paper, Section 5.1):
#
#     min_b  sum_i | x_i - (A b)_i |   subject to   b >= 0
#
#     Rscript bench/quantreg.R [ROWS ANCHORS COLUMNS TURNS]       (default 200 20 50 20)
#
# rq.fit.fnc, an interior point method, takes R b >= r; OPENBLAS_NUM_THREADS=1 gives one thread.
# Packages r-base-core and r-cran-quantreg (optional; nothing else needs them).
suppressPackageStartupMessages(library(quantreg))
sizes <- as.integer(commandArgs(trailingOnly = TRUE))
if (length(sizes) == 0) sizes <- c(200L, 20L, 50L, 20L)
m <- sizes[1]; k <- sizes[2]; n <- sizes[3]; turns <- sizes[4]

set.seed(2013)
level <- 0.3
noise <- function(count) pmax(sign(runif(count, -1, 1)) * rexp(count, 1 / level), 0)
W <- matrix(runif(m * k), m, k)
A <- W + noise(m * k)
X <- sapply(seq_len(n), function(j) {
  h <- rgamma(k, shape = runif(k))
  W %*% (h / sum(h)) + noise(m)
})

least <- Inf
cone <- diag(k)
zero <- rep(0, k)
for (turn in seq_len(turns)) {
  objective <- 0
  start <- as.numeric(Sys.time())
  for (j in seq_len(n)) {
    b <- rq.fit.fnc(A, X[, j], R = cone, r = zero, tau = 0.5)$coefficients
    objective <- objective + sum(abs(X[, j] - A %*% pmax(b, 0)))
  }
  least <- min(least, as.numeric(Sys.time()) - start)
}
cat(sprintf("quantreg %s, %d x %d, b >= 0: %.1f us a column (least of %d turns), mean objective %.6f\n",
            packageVersion("quantreg"), m, k, 1e6 * least / n, turns, objective / n))
