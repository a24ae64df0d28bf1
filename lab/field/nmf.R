# R's NMF (Gaujoux and Seoighe, CRAN package NMF) as one run of the field bench.
#
#     Rscript nmf.R lee|brunet|snmf/r X.csv RANK SEED
#
# Prints one JSON object: the parts, column by column, and the seconds of processor time of nmf() alone; "missing NMF" where
# the package is not installed. Defaults otherwise.
words <- commandArgs(trailingOnly = TRUE)
if (!suppressWarnings(suppressMessages(requireNamespace("NMF", quietly = TRUE)))) {
  cat("missing NMF\n")
  quit(status = 0)
}
suppressMessages(library(NMF))
X <- as.matrix(read.csv(words[2], header = FALSE))
before <- proc.time()
fit <- nmf(X, as.integer(words[3]), method = words[1], seed = as.integer(words[4]), .options = "-p")
spent <- sum((proc.time() - before)[c(1, 2)])
W <- basis(fit)
rows <- apply(W, 1, function(row) paste0("[", paste(format(row, digits = 10), collapse = ","), "]"))
cat('{"parts":[', paste(rows, collapse = ","), '],"processor":', spent, "}\n", sep = "")
