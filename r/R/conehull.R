# The functions that users call; anchors() itself is in settings.R, which is made from the library's
# table of settings.

# A matrix as the library takes it: doubles, or a dgCMatrix, neither of which is copied.
as_data <- function(X) {
  if (is.data.frame(X)) X <- as.matrix(X)
  if (methods::is(X, "sparseMatrix")) return(methods::as(methods::as(methods::as(X, "dMatrix"), "generalMatrix"), "CsparseMatrix"))
  if (!is.matrix(X) || !(is.numeric(X) || is.logical(X))) stop("X must be a numeric matrix; a data point is a column", call. = FALSE)
  if (!is.double(X)) storage.mode(X) <- "double"
  X
}

# Names of anchors and of data points, where there are any.
with_names <- function(H, W, X) {
  if (!is.null(colnames(W)) || !is.null(colnames(X))) dimnames(H) <- list(colnames(W), colnames(X))
  H
}

# Settings that are arrays, as the library takes them; array_settings is in settings.R.
as_arrays <- function(given) {
  given <- Filter(Negate(is.null), given)
  Map(function(value, kind) if (kind$is_matrix) as_data(value) else as.double(value), given, array_settings[names(given)])
}

as_settings <- function(values, keep = NULL, threads = 0, arrays = list()) {
  texts <- vapply(values, function(value) {
    if (length(value) != 1 || is.na(value)) stop("a setting must be one value", call. = FALSE)
    if (is.numeric(value)) format(value, digits = 17) else if (is.logical(value)) as.character(as.integer(value)) else as.character(value)
  }, "")
  c(list(texts = texts, keep = as.double(keep) - 1, threads = as.integer(threads)), arrays)
}

run_anchors <- function(X, settings) {
  data <- as_data(X)
  answer <- .Call(call_anchors, data, settings)
  record <- answer[[1]]
  chosen <- .Call(bits_to_numbers, record$anchors) + 1
  names <- colnames(data)
  if (!is.null(names)) {
    known <- colnames(settings$library)
    if (is.null(known) && !is.null(settings$library)) known <- paste0("library", seq_len(ncol(settings$library)))
    names(chosen) <- c(names, known)[chosen]
    colnames(record$W) <- names(chosen)
    if (!is.null(record$H)) dimnames(record$H) <- list(names(chosen), names)
  }
  rownames(record$W) <- rownames(data)
  structure(list(anchors = chosen, W = record$W, H = record$H, objective = record$objective,
                 max_residual = record$max_residual, gap = record$certificate_gap,
                 unproven = .Call(bits_to_numbers, record$unproven), status = answer[[2]][[2]],
                 status_code = answer[[2]][[1]], settings = settings, record = record),
            class = "conehull")
}

project <- function(X, W, loss = "l1", tol = 1e-9, floor = -1, hull = "cone", threads = 0) {
  W <- as.matrix(W)
  storage.mode(W) <- "double"
  answer <- .Call(call_project, as_data(X), W, as_settings(list(loss = loss, tol = tol, floor = floor, hull = hull), threads = threads))
  H <- with_names(answer[[1]], W, X)
  attr(H, "objective") <- answer[[2]][1]
  attr(H, "gap") <- answer[[2]][2]
  attr(H, "unproven") <- answer[[2]][3]
  H
}

verify <- function(object, X) {
  if (!inherits(object, "conehull")) stop("the first argument must be a result of anchors()", call. = FALSE)
  answer <- .Call(call_verify, as_data(X), object$record, object$status_code, object$settings)
  structure(answer[[1]], why = answer[[2]])
}

predict.conehull <- function(object, newdata, ...) {
  settings <- object$settings
  settings$keep <- numeric(0)
  settings[names(Filter(function(array) array$of_columns, array_settings))] <- NULL # they belong to the columns of the run
  settings$texts["library-only"] <- "0"
  settings$texts["floor"] <- format(object$record$floor, digits = 17)
  with_names(.Call(call_project, as_data(newdata), object$W, settings)[[1]], object$W, newdata)
}

fitted.conehull <- function(object, ...) {
  if (is.null(object$H)) stop("the result has no weights, because the run computed only the anchors (select_only)", call. = FALSE)
  object$W %*% object$H
}

print.conehull <- function(x, ...) {
  shown <- if (is.null(names(x$anchors))) format(x$anchors, trim = TRUE) else paste0(names(x$anchors), " (", format(x$anchors, trim = TRUE), ")")
  cat(length(x$anchors), " anchors of ", .Call(bits_to_numbers, x$record$cols), " columns, loss ", x$settings$texts["loss"], "\n", sep = "")
  cat(strwrap(paste(shown, collapse = ", "), indent = 2, exdent = 2), sep = "\n")
  if (!is.null(x$H)) cat("objective ", format(x$objective), ", proven to a gap of ", format(x$gap, digits = 2), "\n", sep = "")
  cat(x$status, "\n", sep = "")
  invisible(x)
}

summary.conehull <- function(object, ...) {
  data.frame(anchor = object$anchors, max_residual = object$max_residual,
             weight = if (is.null(object$H)) NA_real_ else rowSums(object$H), row.names = names(object$anchors))
}

plot.conehull <- function(x, xlab = "anchors", ylab = "largest residual", type = "b", ...) {
  graphics::plot(seq_along(x$max_residual), x$max_residual, xlab = xlab, ylab = ylab, type = type, ...)
}
