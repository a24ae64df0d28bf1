library(conehull)
set.seed(5)
planted <- function(m, r, n) {
  W <- matrix(runif(m * r), m)
  shares <- matrix(rexp(r * n), r)
  cbind(W, W %*% sweep(shares, 2, colSums(shares), "/"))
}
refused <- function(expression, part) {
  message <- tryCatch({
    force(expression)
    "it was not refused"
  }, error = conditionMessage)
  if (!grepl(part, message, fixed = TRUE)) stop("expected '", part, "', got: ", message)
}

X <- planted(30, 5, 60)
found <- anchors(X, 5)
stopifnot(setequal(found$anchors, 1:5), found$gap <= 1e-9, found$unproven == 0, max(abs(fitted(found) - X)) < 1e-9)
stopifnot(verify(found, X), identical(predict(found, X), unname(found$H)))

# Every loss, sparse and dense, threads.
Z <- round(100 * planted(20, 4, 40))
Z[Z < 30] <- 0
for (loss in c("l1", "l2", "kl")) {
  dense <- anchors(Z, 4, loss = loss)
  sparse <- anchors(Matrix::Matrix(Z, sparse = TRUE), 4, loss = loss)
  stopifnot(identical(dense$anchors, sparse$anchors), all.equal(dense$H, sparse$H), verify(dense, Z))
  stopifnot(identical(dense$H, anchors(Z, 4, loss = loss, threads = 1)$H))
}
stopifnot(identical(unname(anchors(Z, 4, keep = c(7, 2))$anchors[1:2]), c(7, 2)))
stopifnot(is.null(anchors(Z, 3, select_only = TRUE)$H))
whole <- Z
storage.mode(whole) <- "integer"
stopifnot(identical(anchors(whole, 4)$anchors, anchors(Z, 4)$anchors))

# Hulls, quantiles, refined factors, weights, missing entries and known components, each verified.
trials <- list(list(hull = "convex"), list(loss = "quantile", quantile = 0.3), list(loss = "l2", refine = 2),
               list(row_weights = c(2, rep(1, 29))), list(column_weights = rep(0:1, c(3, 62))))
for (settings in trials) {
  each <- do.call(anchors, c(list(X, 4), settings))
  stopifnot(verify(each, X))
}
stopifnot(!any(each$anchors <= 3))
refined <- anchors(X, 4, loss = "l2", refine = 2)$record
stopifnot(identical(dim(refined$refined_W), c(30L, 4L)), refined$refined_objective <= refined$objective)
gone <- X
gone[3, 7] <- gone[9, 20] <- NaN
known <- 1 - is.nan(gone)
some <- anchors(gone, 5, missing = "nan")
stopifnot(verify(some, gone), identical(some$H, anchors(X, 5, observed = known)$H))
stopifnot(identical(some$H, anchors(X, 5, observed = Matrix::Matrix(known, sparse = TRUE))$H))
stopifnot(all.equal(some$H, anchors(X, 5, weights = known)$H))
components <- 3 * X[, c(11, 4)]
with_library <- anchors(X, 5, library = components)
stopifnot(identical(with_library$anchors[1:2], c(66, 67)), identical(with_library$W[, 1], components[, 1]), verify(with_library, X))
stopifnot(all.equal(predict(with_library, X), with_library$H), anchors(X, 1, library = components, library_only = TRUE)$anchors > 65)
with_library$settings$library <- components + 1
stopifnot(!verify(with_library, X))
refused(anchors(X, 5, row_weights = 1:2), "row_weights")

# Names come through; a data frame is a matrix.
named <- as.data.frame(Z)
print(anchors(named, 3))
stopifnot(identical(names(anchors(named, 3)$anchors), colnames(anchors(named, 3)$W)), nrow(summary(found)) == 5)

# A forged weight is refused with a reason.
forged <- found
forged$record$H[1] <- forged$record$H[1] + 0.5
answer <- verify(forged, X)
stopifnot(!answer, nzchar(attr(answer, "why")))
forged$record$H <- forged$record$H[, -1]
refused(verify(forged, X), "no result")

stopifnot(attr(project(X, found$W), "gap") <= 1e-9)
refused(anchors(-X, 3), "negative")
refused(anchors(X, 3, loss = "nope"), "nope")
refused(anchors(X, 1000), "1000")
refused(anchors("text", 3), "numeric matrix")
refused(anchors(matrix(NaN, 3, 3), 2), "NaN")
refused(project(X, matrix(1, 2, 2)), "rows")
