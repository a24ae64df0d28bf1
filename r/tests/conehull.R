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
