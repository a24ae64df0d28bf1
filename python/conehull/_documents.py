"""Reads documents in any form: strings, series, frames or counts. The library counts the words of strings, as in the command."""
import ctypes
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import check_array

from ._library import library
from ._matrix import DTYPES
from ._run import Run, copied
from ._settings import tables
from ._structs import ch_corpus, ch_text_list

CORPUS = tables["corpus"]


def _encoded(text: str, what: str) -> bytes:
    if "\0" in text:
        raise ValueError(f"{what} contains a zero character, so it is not text")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} contains half of a surrogate pair, which is not a valid character, at position {error.start}") from None


def _text_list(texts, what) -> ch_text_list:
    """Returns strings as a list of the library, which keeps their memory alive."""
    held = [_encoded(text, what(number)) for number, text in enumerate(texts)]
    return ch_text_list(count=len(held), text=(ctypes.c_char_p * max(1, len(held)))(*held))


def _leave_out(tail, stop_words) -> None:
    if stop_words is None:
        return
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f'stop_words must be "english", a collection of words or None; got {stop_words!r}')
        tail.stop_words = b"english"
        return
    words = list(stop_words)
    for word in words:
        if not isinstance(word, str):
            raise ValueError(f"stop_words must be strings; got {word!r}")
    tail.stop_list = ctypes.pointer(_text_list(words, lambda number: f"stop word {number}"))


def count_texts(texts, stop_words=None, vocabulary=None) -> Tuple[Any, np.ndarray]:
    """Returns counts of words, documents x terms (CSR), and the terms."""
    settings = CORPUS.fill({})
    tail = CORPUS.tail(settings)
    _leave_out(tail, stop_words)
    if vocabulary is not None:
        tail.vocabulary = ctypes.pointer(_text_list(vocabulary, lambda number: f"term {number}"))
    with Run(1) as run:
        found = run.own(ch_corpus, library.ch_corpus_free)
        run.call(library.ch_corpus_count, found.struct, _text_list(texts, lambda number: f"document {number}"), settings)
        made = found.struct
        X = made.X
        start = copied(X.column_start, X.cols + 1)
        entries = int(start[-1])
        values = np.zeros(0)
        if entries:
            pointer = ctypes.cast(X.values, ctypes.POINTER(np.ctypeslib.as_ctypes_type(DTYPES[X.type])))
            values = copied(pointer, entries).astype(float)
        index = copied(X.row_index, entries) if entries else np.zeros(0, np.int32)
        terms = np.array([made.terms.text[k].decode() for k in range(made.terms.count)], dtype=object)
        return sparse.csr_matrix((values, index, start), (X.cols, X.rows)), terms


def _check_string(number, text) -> None:
    if isinstance(text, str):
        return
    if text is None or isinstance(text, float) and text != text or type(text).__name__ in ("NAType", "NaTType"):
        raise ValueError(f"document {number} is not a string ({text}); fill a series with fillna(''), or remove such documents")
    if isinstance(text, bytes):
        raise ValueError(f"document {number} is bytes instead of a string; decode it: text.decode('utf-8')")
    if isinstance(text, (list, tuple)) and text and isinstance(text[0], str):
        raise ValueError(f"document {number} is not a string but a {type(text).__name__} of words; join them: ' '.join(words)")
    raise ValueError(f"document {number} is not a string ({text!r:.40})")


def strings(docs) -> list:
    """Returns the documents as a list of strings; other types are refused."""
    if isinstance(docs, (str, bytes)):
        raise ValueError("documents must be a sequence of strings, not one string")
    if isinstance(docs, (Mapping, Set)):
        raise ValueError(f"documents must be a sequence of strings, not a {type(docs).__name__}; pass a list")
    if getattr(docs, "ndim", 1) != 1:
        raise ValueError(f"documents must be a sequence of strings; got an array of {docs.ndim} dimensions")
    texts = list(docs)
    if not texts:
        raise ValueError("the list of documents is empty")
    for number, text in enumerate(texts):
        _check_string(number, text)
    return texts


def _is_number_type(dtype) -> bool:
    return getattr(getattr(dtype, "subtype", dtype), "kind", "O") in "uifb"


def _from_frame(frame):
    """Returns the numbers of a frame, rows x columns. A column of text is refused by name."""
    for name, dtype in zip(frame.columns, frame.dtypes):
        if not _is_number_type(dtype):
            raise ValueError(f"a data frame must contain counts, with one row for each document, but its column {name!r} has no numbers; "
                             f"if that column contains the documents, pass df[{name!r}]")
    if len(frame.columns) and all(hasattr(dtype, "subtype") for dtype in frame.dtypes):
        return frame.sparse.to_coo().tocsr()
    values = frame.to_numpy()
    return values if values.dtype.kind in "uifb" else frame.to_numpy(dtype=float)


@dataclass
class Documents:
    """Counts, their terms (None if unknown), the texts (None if counts were given), and the labels of the index."""

    X: Any
    terms: Optional[np.ndarray]
    texts: Optional[list]
    labels: Optional[np.ndarray]


def _numbers(docs):
    """Returns counts in a form that scikit-learn checks; None if docs are strings, or should be."""
    if sparse.issparse(docs):
        return docs
    if hasattr(docs, "columns") and hasattr(docs, "dtypes"):
        return _from_frame(docs)
    if isinstance(docs, np.ndarray):
        return docs if docs.dtype.kind in "uifb" and docs.ndim != 1 else None
    first = docs[0] if isinstance(docs, (list, tuple)) and docs else None
    rows = isinstance(first, (list, tuple, np.ndarray)) and not any(isinstance(value, str) for value in first)
    return docs if rows else None


def _refuse_missing(docs, numbers) -> None:
    """Refuses NaN in a frame of counts, and names its place."""
    if not hasattr(docs, "columns") or sparse.issparse(numbers) or numbers.dtype.kind != "f" or not np.isnan(numbers).any():
        return
    row, column = np.argwhere(np.isnan(numbers))[0]
    raise ValueError(f"the count in row {docs.index[row]!r}, column {docs.columns[column]!r} of the data frame is missing "
                     f"({int(np.isnan(numbers).sum())} counts are); if a missing count means 0, pass df.fillna(0)")


def read_documents(docs, terms=None, stop_words=None, vocabulary=None) -> Documents:
    """Reads documents. ``vocabulary`` holds the terms of a fitted model."""
    labels = np.asarray(docs.index) if hasattr(docs, "iloc") else None
    numbers = _numbers(docs)
    if numbers is None:
        texts = strings(docs)
        if terms is not None:
            raise ValueError("terms can be used only if X contains counts; documents that are strings have their own words")
        X, terms = count_texts(texts, stop_words, vocabulary)
        return Documents(X, terms, texts, labels)
    if stop_words is not None and vocabulary is None:
        raise ValueError("stop_words can be used only if the documents are strings; for counts, remove the columns of these words instead")
    _refuse_missing(docs, numbers)
    X = check_array(numbers, accept_sparse="csr", dtype=DTYPES)
    if terms is None and hasattr(docs, "columns"):
        terms = [str(name) for name in docs.columns]
        if vocabulary is not None and terms != [str(term) for term in vocabulary]:
            raise ValueError("the columns of this data frame are not the ones that the topics were fitted on, or they have another order")
    if terms is None:
        terms = vocabulary
    if terms is not None and len(terms) != X.shape[1]:
        raise ValueError(f"terms has {len(terms)} entries, but the counts have {X.shape[1]} columns; one term for each column is needed")
    return Documents(X, None if terms is None else np.asarray(terms, dtype=object), None, labels)


def characteristic_terms(X, chosen, terms, most=8) -> list:
    """Returns the terms with the largest tf-idf of each chosen document, as the command does; terms that occur in fewer than
    three documents come last."""
    rare_last = sparse.issparse(X)
    X = sparse.csr_matrix(X, dtype=float)
    documents, frequency = X.shape[0], np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
    weight = np.log((1 + documents) / (1 + frequency)) + 1
    if rare_last and documents > 3:
        weight = np.where(frequency < 3, 1e-9 * weight, weight)
    found = []
    for d in chosen:
        entries = slice(X.indptr[d], X.indptr[d + 1])
        index, value = X.indices[entries], X.data[entries] * weight[X.indices[entries]]
        order = np.lexsort((index, -value))[:most]
        found.append([str(terms[k]) for k, v in zip(index[order], value[order]) if v > 0])
    return found
