"""Documents: topics, and a few documents that stand for all.

    >>> from conehull import topics, exemplars
    >>> docs = ["the moon orbits the earth", "a rocket flew to the moon", "earth and moon and rocket",
    ...         "bake bread with yeast", "flour, yeast and butter", "butter on fresh bread"] * 3
    >>> model = topics(docs, 2, stop_words="english")
    >>> sorted(model.names_.tolist())
    ['bread', 'moon']
    >>> exemplars(docs, 2).indices.shape
    (2,)

Documents are strings, or counts of words: an array or sparse matrix of documents x terms, as scikit-learn's
``CountVectorizer`` makes them.
"""
import ctypes
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from . import _errors
from ._library import library
from ._matrix import DTYPES, View
from ._run import Run, copied, pointer_to
from ._settings import tables
from ._signature import with_parameters, with_settings
from ._structs import ch_exemplars, ch_topics

__all__ = ["Exemplars", "TopicModel", "count_words", "exemplars", "topics"]

TOPICS, EXEMPLARS = tables["topics"], tables["exemplars"]
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_WEIGHTS = {"auto": (-1, -1), "raw": (0, 0), "log": (1, 0), "tfidf": (2, 0), "logtfidf": (3, 0), "l1": (0, 1), "l2": (0, 2)}


def _stop_words(stop_words):
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f'stop_words must be "english", a collection of words or None; got {stop_words!r}')
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
        return ENGLISH_STOP_WORDS
    return frozenset(stop_words)


def _words(text, stop):
    """Runs of letters and digits in lower case, at least two of them and one a letter; a final 's is cut off."""
    for match in _WORD.finditer(unicodedata.normalize("NFC", text).lower()):
        word = match.group().replace("\u2019", "'")
        if word.endswith("'s"):
            word = word[:-2]
        if len(word) > 1 and word not in stop and any(map(str.isalpha, word)):
            yield word


def count_words(docs: Any, stop_words: Any = None, vocabulary: Any = None) -> Tuple[Any, np.ndarray]:
    """Counts of words, documents x terms (CSR), and the terms, sorted.

    ``stop_words`` are left out: "english" (scikit-learn's list), a collection of words, or None. With a
    ``vocabulary`` (terms in order) nothing but these words is counted.
    """
    if isinstance(docs, (str, bytes)):
        raise ValueError("documents must be a sequence of strings, not one string")
    stop, counts = _stop_words(stop_words), []
    for number, text in enumerate(docs):
        if not isinstance(text, str):
            raise ValueError(f"document {number} is no string but {type(text).__name__}")
        counts.append(Counter(_words(text, stop)))
    terms = sorted(set().union(*counts)) if vocabulary is None else list(vocabulary)
    if not terms:
        raise ValueError("there are no words in these documents")
    place = {term: k for k, term in enumerate(terms)}
    start, index, value = [0], [], []
    for count in counts:
        entries = sorted((place[word], n) for word, n in count.items() if word in place)
        index += [k for k, _ in entries]
        value += [n for _, n in entries]
        start.append(len(index))
    return sparse.csr_matrix((np.array(value, dtype=float), index, start), (len(counts), len(terms))), np.array(terms, dtype=object)


def _are_strings(docs) -> bool:
    if sparse.issparse(docs) or hasattr(docs, "dtype") and np.asarray(docs).dtype.kind in "uifb":
        return False
    return isinstance(docs, str) or len(docs) == 0 or isinstance(next(iter(docs)), str)


def _counts(docs, terms, stop_words=None, vocabulary=None):
    """Documents as counts with their terms."""
    if _are_strings(docs):
        return count_words(docs, stop_words, vocabulary)
    X = check_array(docs, accept_sparse="csr", dtype=DTYPES)
    if terms is None:
        terms = np.array([f"term {k}" for k in range(X.shape[1])], dtype=object) if vocabulary is None else vocabulary
    if len(terms) != X.shape[1]:
        raise ValueError(f"{len(terms)} terms for documents with {X.shape[1]} columns")
    return X, np.asarray(terms, dtype=object)


@with_parameters(TOPICS, first={"n_components": 20}, last={"stop_words": None, "terms": None, "n_jobs": None, "verbose": 0})
class TopicModel(TransformerMixin, BaseEstimator):
    """Topics of documents: their words, their names, and how much of each is in every document.

    Topics begin at documents that stand for the others, and non-negative least squares on log tf-idf refines them. There
    is no random start; documents in any order give the same topics.

    Parameters
    ----------
    n_components : int, default 20
        Topics wanted.
    {settings}
    stop_words : "english", collection of str or None, default None
        Words of strings that are left out.
    terms : sequence of str or None, default None
        The words of the columns, where documents are counts.
    n_jobs : int or None, default None
        Threads; None: all cores. The answer is the same for any number.
    verbose : bool, default 0
        A progress bar, where tqdm is installed.

    Attributes
    ----------
    components_ : ndarray, shape (n_topics, n_terms)
        p(word | topic); rows sum to 1.
    names_ : ndarray of str, shape (n_topics,)
        The most relevant of each topic's ten top words.
    topics_ : ndarray of int, shape (n_documents,)
        The main topic of every document; -1: it has none of the words.
    document_topic_ : ndarray, shape (n_documents, n_topics)
        p(topic | document).
    share_ : ndarray, shape (n_topics,)
        Of all documents' weight; topics come largest first.
    npmi_, umass_ : ndarray, shape (n_topics,)
        Coherence of the top words.
    terms_ : ndarray of str, shape (n_terms,)
    idf_ : ndarray, shape (n_terms,)
        What counts of a word are multiplied by; 0: it takes no part.
    n_iter_ : int
        Rounds.
    status_ : str
        "done", or "complete": fewer topics are enough.

    Examples
    --------
    >>> from conehull import TopicModel
    >>> docs = ["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"] * 4
    >>> model = TopicModel(2, stop_words=["and"])
    >>> weights = model.fit_transform(docs)
    >>> weights.shape, len(set(model.topics_[:2])), len(set(model.topics_))
    ((16, 2), 1, 2)
    >>> model.transform(["a cold day of snow"]).argmax() == model.topics_[2]
    True
    """

    components_: np.ndarray
    names_: np.ndarray
    topics_: np.ndarray
    document_topic_: np.ndarray
    share_: np.ndarray
    npmi_: np.ndarray
    umass_: np.ndarray
    terms_: np.ndarray
    idf_: np.ndarray
    n_iter_: int
    status_: str

    def _fit(self, docs):
        X, terms = _counts(docs, self.terms, self.stop_words)
        settings = TOPICS.fill({name: getattr(self, name) for name in self._setting_names}
                               | {"n_components": self.n_components})
        with Run(self.n_jobs, self.verbose) as run:
            found = run.own(ch_topics, library.ch_topics_free)
            view = View(X)
            run.call(library.ch_topics_find, found.struct, view.matrix, settings)
            made = found.struct
            rank = made.rank
            self.components_ = copied(made.topic_word, (made.terms, rank)).T
            self.document_topic_ = copied(made.document_topic, (rank, made.documents)).T
            self.share_, self.npmi_, self.umass_ = (copied(a, rank) for a in (made.share, made.npmi, made.umass))
            self._top, self._relevant = (copied(a, (rank, made.top)) for a in (made.top_word, made.relevant_word))
            self.names_ = terms[copied(made.name, rank)].astype(str)
            self.idf_ = copied(made.idf, made.terms)
            self._objective_kind, self._weight_kind = made.objective, made.weight
            self.n_iter_, self.status_ = made.refits, _errors.word(made.status)
        self.terms_ = terms
        self.topics_ = np.where(self.document_topic_.sum(1) > 0, self.document_topic_.argmax(1), -1)
        self._excerpts = [text[:240] for text in docs] if _are_strings(docs) else None
        self.n_features_in_ = X.shape[1]
        return self.document_topic_

    def fit(self, docs: Any, y: Any = None) -> "typing_extensions.Self":
        """Finds the topics of strings, or of counts of words, documents x terms."""
        self._fit(docs)
        return self

    def fit_transform(self, docs: Any, y: Any = None) -> np.ndarray:
        """Finds the topics and returns p(topic | document), shape (n_documents, n_topics)."""
        return self._fit(docs).copy()

    def transform(self, docs: Any) -> np.ndarray:
        """p(topic | document) of other documents, shape (n_documents, n_topics)."""
        check_is_fitted(self)
        X, _ = _counts(docs, None, self.stop_words, self.terms_)
        topic_word = np.ascontiguousarray(self.components_.T)
        model = ch_topics(terms=len(self.terms_), rank=len(self.components_), topic_word=pointer_to(topic_word),
                          idf=pointer_to(self.idf_), objective=self._objective_kind, weight=self._weight_kind)
        out = np.empty((len(self.components_), X.shape[0]))
        with Run(self.n_jobs, self.verbose) as run:
            view = View(X)
            run.call(library.ch_topics_project, pointer_to(out), view.matrix, model)
        return out.T

    def get_topic(self, topic: int) -> List[Tuple[str, float]]:
        """The top words of a topic with p(word | topic)."""
        check_is_fitted(self)
        return [(str(self.terms_[w]), float(self.components_[topic, w])) for w in self._top[topic]
                if self.components_[topic, w] > 0]

    def get_topics(self) -> Dict[int, List[Tuple[str, float]]]:
        """The top words of all topics, by number."""
        check_is_fitted(self)
        return {z: self.get_topic(z) for z in range(len(self.components_))}

    def get_representative_docs(self, topic: int, count: int = 5) -> np.ndarray:
        """The documents with the largest share of a topic."""
        check_is_fitted(self)
        return np.argsort(-self.document_topic_[:, topic], kind="stable")[:count]

    def get_topic_info(self) -> Any:
        """A row per topic: number, documents whose main topic it is, name, share, coherence, words, representative
        documents. A pandas frame where pandas is installed, else a list of dicts."""
        check_is_fitted(self)
        rows = []
        for z in range(len(self.components_)):
            documents = self.get_representative_docs(z, 3)
            rows.append({"Topic": z, "Count": int((self.topics_ == z).sum()), "Name": str(self.names_[z]),
                         "Share": float(self.share_[z]), "NPMI": float(self.npmi_[z]),
                         "Representation": [word for word, _ in self.get_topic(z)],
                         "Representative_Docs": [self._excerpts[d] for d in documents] if self._excerpts
                         else documents.tolist()})
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the topics, with their numbers."""
        check_is_fitted(self)
        return np.array([f"{z}_{name}" for z, name in enumerate(self.names_)], dtype=object)


@with_settings(TOPICS, leave_out=("n_components",))
def topics(docs: Any, n_components: int = 20, *, stop_words: Any = None, terms: Any = None, n_jobs: Optional[int] = None,
           verbose: int = 0, **settings) -> TopicModel:
    """Topics of documents: a fitted :class:`TopicModel`.

    Parameters
    ----------
    docs : sequence of str, or counts of words (documents x terms)
    n_components : int, default 20
        Topics wanted.
    stop_words : "english", collection of str or None
        Words of strings that are left out.
    terms : sequence of str or None
        The words of the columns, where documents are counts.
    n_jobs, verbose
        Threads; a progress bar.
    {settings}

    Returns
    -------
    TopicModel

    Examples
    --------
    >>> import conehull
    >>> docs = ["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"] * 4
    >>> model = conehull.topics(docs, 2, stop_words=["and"])
    >>> [len(words) > 0 for words in model.get_topics().values()]
    [True, True]
    """
    return TopicModel(n_components, stop_words=stop_words, terms=terms, n_jobs=n_jobs, verbose=verbose, **settings).fit(docs)


@dataclass(frozen=True)
class Exemplars:
    """Documents that stand for the others, in the order chosen.

    ``stand_in[j]`` is the exemplar (its place in ``indices``) that stands for document j, -1 for none;
    ``stands_for`` counts them. ``value`` and ``optimum`` (no choice of as many documents has a larger value) are those
    of facility location, NaN for other methods.
    """

    indices: np.ndarray
    stands_for: np.ndarray
    stand_in: np.ndarray = field(repr=False)
    explained: float
    value: float
    optimum: float
    status: str


@with_settings(EXEMPLARS, only=("method", "similarity", "random_state"))
def exemplars(docs: Any, n_components: int, *, weight: str = "auto", stop_words: Any = None,
              n_jobs: Optional[int] = None, verbose: int = 0, **settings) -> Exemplars:
    """A few documents (or rows of any non-negative data) that stand for all.

    Parameters
    ----------
    docs : sequence of str, or an array or sparse matrix, a row per document
    n_components : int
        Exemplars wanted.
    weight : str, default "auto"
        What the method sees: "raw", "log", "tfidf", "logtfidf", "l1", "l2", or two as "tfidf+l2"; "auto": log+l2 of
        sparse data and text for facility and kmeans, l1 for other methods, raw for dense data.
    stop_words : "english", collection of str or None
        Words of strings that are left out.
    n_jobs, verbose
        Threads; a progress bar.
    {settings}

    Returns
    -------
    Exemplars

    Examples
    --------
    >>> import conehull
    >>> docs = ["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"]
    >>> sorted(conehull.exemplars(docs, 2, stop_words=["and"]).stand_in.tolist())
    [0, 0, 1, 1]
    """
    X, _ = _counts(docs, None, stop_words)
    struct = EXEMPLARS.fill(settings)
    tail = EXEMPLARS.tail(struct)
    tail.weight.values, tail.weight.columns = _weighting(weight)
    with Run(n_jobs, verbose) as run:
        found = run.own(ch_exemplars, library.ch_exemplars_free)
        view = View(X)
        run.call(library.ch_exemplars_find, found.struct, view.matrix, _whole(n_components), struct)
        made = found.struct
        return Exemplars(copied(made.columns, made.rank), copied(made.stands_for, made.rank), copied(made.stand_in, made.cols),
                         made.explained, made.value, made.optimum, _errors.word(made.status))


def _whole(number) -> ctypes.c_int64:
    if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 < number < 2**62:
        raise ValueError(f"n_components must be a whole number from 1 on; got {number!r}")
    return ctypes.c_int64(number)


def _weighting(text):
    parts = text.split("+") if isinstance(text, str) else [text]
    if not 1 <= len(parts) <= 2 or any(part not in _WEIGHTS for part in parts):
        raise ValueError(f"weight must be one of {', '.join(map(repr, _WEIGHTS))}, or two as 'tfidf+l2'; got {text!r}")
    if len(parts) == 1:
        return _WEIGHTS[text]
    values = [part for part in parts if part in ("raw", "log", "tfidf", "logtfidf")]
    columns = [part for part in parts if part in ("l1", "l2")]
    if len(values) != 1 or len(columns) != 1:
        raise ValueError(f"weight has one of raw, log, tfidf, logtfidf and one of l1, l2; got {text!r}")
    return _WEIGHTS[values[0]][0], _WEIGHTS[columns[0]][1]
