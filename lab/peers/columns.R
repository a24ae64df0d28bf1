# Non-negative fits per column by R, on the matrices of a run of run_peers.py, or on data of the same kind
# (paper, Section 5.1: 200 x 20, 50 columns, sparse noise 0.3) when no files are named:
#
#     min_b  sum_i | x_i - (A b)_i |      quantreg (rq.fit.fnc, an interior point method, takes R b >= r)
#     min_b  sum_i ( x_i - (A b)_i )^2    nnls (Lawson and Hanson)           both subject to b >= 0
#
#     Rscript lab/peers/columns.R quantreg|nnls [A.csv X.csv]        prints a JSON object
#
# OPENBLAS_NUM_THREADS=1 gives one thread. Packages r-base-core, r-cran-quantreg, r-cran-nnls (optional).
words <- commandArgs(trailingOnly = TRUE)
peer <- if (length(words) > 0) words[1] else "quantreg"
if (!suppressPackageStartupMessages(require(peer, character.only = TRUE, quietly = TRUE))) {
  cat("missing R package", peer, "\n")
  quit(status = 0)
}
if (length(words) == 3) {
  A <- unname(as.matrix(read.csv(words[2], header = FALSE)))
  X <- unname(as.matrix(read.csv(words[3], header = FALSE)))
} else {
  set.seed(2013)
  noise <- function(count) pmax(sign(runif(count, -1, 1)) * rexp(count, 1 / 0.3), 0)
  W <- matrix(runif(200 * 20), 200, 20)
  A <- W + noise(200 * 20)
  X <- sapply(1:50, function(j) {
    h <- rgamma(20, shape = runif(20))
    W %*% (h / sum(h)) + noise(200)
  })
}

cone <- diag(ncol(A))
zero <- rep(0, ncol(A))
fit <- list(quantreg = function(x) pmax(rq.fit.fnc(A, x, R = cone, r = zero, tau = 0.5)$coefficients, 0),
            nnls = function(x) nnls(A, x)$x)[[peer]]
lost <- list(quantreg = function(r) sum(abs(r)), nnls = function(r) sum(r^2))[[peer]]
least <- Inf
for (turn in 1:5) {
  start <- as.numeric(Sys.time())
  B <- sapply(seq_len(ncol(X)), function(j) fit(X[, j]))
  least <- min(least, as.numeric(Sys.time()) - start)
}
cat(sprintf('{"peer": "R %s %s", "seconds": %.6g, "what": "loss", "quality": %.10g, "note": "%.0f us per column"}\n',
            peer, packageVersion(peer), least, lost(X - A %*% B), 1e6 * least / ncol(X)))
