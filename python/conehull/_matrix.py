"""Arrays of Python as views of the library, without copying where the layout allows.

In Python a sample is a row; in the library a data point is a column. The two are the same memory read
the other way round, so the transpose costs nothing: a C-ordered array of samples x features is the
library's column-major matrix of features x samples, a Fortran-ordered one is its row-major matrix, and
CSR is its CSC.

Copied are: arrays with steps inside rows and columns, other number types than float64, float32, uint8
and uint16 (they become float64), CSC input, and sparse matrices with unsorted or doubled entries. The row
pointers of a sparse matrix become int64. Inputs are never changed.
"""
import numpy as np
import scipy.sparse as sparse

from ._run import Owned, pointer_to
from ._structs import (CH_COLUMN_MAJOR, CH_CSC, CH_F32, CH_F64, CH_ROW_MAJOR, CH_U8, CH_U16, ch_matrix)

_TYPE = {"float64": CH_F64, "float32": CH_F32, "uint8": CH_U8, "uint16": CH_U16}
DTYPES = [np.dtype(name).type for name in _TYPE]

class View:
    """A ``ch_matrix`` of X, an array or sparse matrix of samples x features, and whatever it refers to.

    samples_are_columns: the library sees features x samples (anchors), else X as it stands (video).
    """

    def __init__(self, X, samples_are_columns=True):
        self.matrix = ch_matrix()
        self.matrix.type = _TYPE[X.dtype.name]
        samples, features = X.shape
        self.matrix.rows, self.matrix.cols = (features, samples) if samples_are_columns else (samples, features)
        if sparse.issparse(X):
            self._keep = self._sparse(X, samples_are_columns)
        else:
            self._keep = self._dense(X, samples_are_columns)

    def _dense(self, X, samples_are_columns):
        size = X.itemsize
        rows, columns = X.shape
        step = [s if n > 1 else 0 for s, n in zip(X.strides, X.shape)]
        by_rows = X.flags.aligned and step[1] in (0, size) and step[0] % size == 0 and (
            rows == 1 or step[0] >= columns * size) and (columns == 1 or step[1] == size)
        by_columns = X.flags.aligned and not by_rows and step[0] in (0, size) and step[1] % size == 0 and (
            columns == 1 or step[1] >= rows * size) and (rows == 1 or step[0] == size)
        if not (by_rows or by_columns):
            X, by_rows = np.ascontiguousarray(X), True
            step = [columns * size, size]
        self.matrix.layout = CH_COLUMN_MAJOR if by_rows == samples_are_columns else CH_ROW_MAJOR
        self.matrix.stride = max(step[0] // size, columns) if by_rows else max(step[1] // size, rows)
        self.matrix.values = X.ctypes.data
        return X

    def _sparse(self, X, samples_are_columns):
        if self.matrix.rows > np.iinfo(np.int32).max:
            raise ValueError(f"a sparse matrix may have up to 2147483647 {'features' if samples_are_columns else 'samples'}; "
                             f"got {self.matrix.rows}")
        X = X.tocsr() if samples_are_columns else X.tocsc()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        start = np.ascontiguousarray(X.indptr, dtype=np.int64)
        index = np.ascontiguousarray(X.indices, dtype=np.int32)
        values = np.ascontiguousarray(X.data)
        self.matrix.layout = CH_CSC
        self.matrix.values = values.ctypes.data
        self.matrix.column_start = pointer_to(start)
        self.matrix.row_index = pointer_to(index)
        return values, start, index


def to_array(owned: Owned):
    """What a dense matrix of the library holds, in place."""
    matrix = owned.struct
    lines, length = (matrix.rows, matrix.cols) if matrix.layout == CH_ROW_MAJOR else (matrix.cols, matrix.rows)
    values = owned.show(matrix.values, DTYPES[matrix.type], (lines, matrix.stride))[:, :length]
    return values if matrix.layout == CH_ROW_MAJOR else values.T
