"""Documents: topics, and a few documents that represent all others.

    >>> from conehull import topics, exemplars
    >>> docs = ["the moon orbits the earth", "a rocket flew to the moon", "earth and moon and rocket",
    ...         "bake bread with yeast", "flour, yeast and butter", "butter on fresh bread"] * 3
    >>> model = topics(docs, 2, stop_words="english")
    >>> sorted(model.names_.tolist())
    ['bread', 'moon']
    >>> found = exemplars(docs, 2, stop_words="english")
    >>> [docs[k] for k in found.indices]
    ['earth and moon and rocket', 'butter on fresh bread']

Documents are strings (a list, a generator, a pandas series such as ``df["text"]``), or counts of words: an array, sparse
matrix or frame of documents x terms, such as the output of scikit-learn's ``CountVectorizer``. Words are counted by the
same code as in ``conehull topics``, so the same texts give the same answer.
"""
import ctypes
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import scipy.sparse as sparse
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _errors
from ._documents import count_texts, read_documents, strings, characteristic_terms
from ._library import library
from ._matrix import View
from ._run import Run, copied, pointer_to
from ._settings import tables
from ._shown import Shown, listed
from ._signature import with_parameters, with_settings
from ._structs import ch_exemplars, ch_topics

__all__ = ["Exemplars", "TopicModel", "count_words", "exemplars", "topics"]

TOPICS, EXEMPLARS = tables["topics"], tables["exemplars"]
_WEIGHTS = {"auto": (-1, -1), "raw": (0, 0), "log": (1, 0), "tfidf": (2, 0), "logtfidf": (3, 0), "logrootidf": (4, 0), "l1": (0, 1),
            "l2": (0, 2)}


def count_words(docs: Any, stop_words: Any = None, vocabulary: Any = None) -> Tuple[Any, np.ndarray]:
    """Counts the words of documents, as ``conehull topics`` does. Returns the counts, documents x terms (CSR), and the
    sorted terms.

    Parameters
    ----------
    docs : iterable of str
    stop_words : "english", collection of str or None
        Words to leave out; "english" is the list of ``conehull --stop-words english``.
    vocabulary : sequence of str or None
        The terms to count, in this order; other words are ignored.

    Examples
    --------
    >>> from conehull.text import count_words
    >>> counts, terms = count_words(["The cat's hat", "a hat, a cat, a hat"], stop_words="english")
    >>> terms.tolist()
    ['cat', 'hat']
    >>> counts.toarray().tolist()
    [[1.0, 1.0], [1.0, 2.0]]
    """
    return count_texts(strings(docs), stop_words, vocabulary)


@with_parameters(TOPICS, first={"n_components": 20}, last={"stop_words": None, "terms": None, "n_jobs": None, "verbose": 0})
class TopicModel(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Finds topics of documents: their words, their names, and the share of each topic in every document.

    Topics start from documents that represent the others, and non-negative least squares on log tf-idf refines them. There
    is no random start; documents in any order give the same topics.

    Parameters
    ----------
    n_components : int, default 20
        Number of topics.
    {settings}
    stop_words : "english", collection of str or None, default None
        Words to leave out if documents are strings; "english" is the list of ``conehull topics --stop-words english``.
    terms : sequence of str or None, default None
        The words of the columns, if documents are counts.
    n_jobs : int or None, default None
        Number of threads; None uses all cores. The result does not depend on it.
    verbose : bool, default 0
        Show a progress bar, or lines on stderr if tqdm is not installed.

    Attributes
    ----------
    components_ : ndarray, shape (n_topics, n_terms)
        p(word | topic); rows sum to 1.
    names_ : ndarray of str, shape (n_topics,)
        The most relevant of each topic's ten top words.
    topics_ : ndarray of int, shape (n_documents,)
        The main topic of every document; -1 if it contains none of the terms.
    document_topic_ : ndarray, shape (n_documents, n_topics)
        p(topic | document).
    share_ : ndarray, shape (n_topics,)
        Share of each topic in the weight of all documents; the largest topic is the first.
    npmi_, umass_ : ndarray, shape (n_topics,)
        Coherence of the top words.
    terms_ : ndarray of str, shape (n_terms,)
    idf_ : ndarray, shape (n_terms,)
        Factor of the counts of each term; 0 if the term is not used.
    n_iter_ : int
        Number of rounds.
    status_ : str
        "done", or "complete" if fewer topics are enough.

    Examples
    --------
    >>> from conehull import TopicModel
    >>> docs = ["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"] * 4
    >>> model = TopicModel(2, stop_words="english")
    >>> weights = model.fit_transform(docs)
    >>> weights.shape
    (16, 2)
    >>> sorted(model.names_.tolist())
    ['ice', 'sea']
    >>> model.topics_[:4] == model.topics_[0]
    array([ True,  True, False, False])
    >>> str(model.names_[model.transform(["a cold day of snow"]).argmax()])
    'ice'
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
        read = read_documents(docs, self.terms, self.stop_words)
        X, terms = read.X, read.terms
        if terms is None:
            terms = np.array([f"term {k}" for k in range(X.shape[1])], dtype=object)
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
        length = np.diff(X.indptr) if sparse.issparse(X) else np.count_nonzero(X, axis=1)
        self._long = length >= np.sort(length)[len(length) // 2]
        self._excerpts = [text[:240] for text in read.texts] if read.texts else None
        self.n_features_in_ = X.shape[1]
        return self._output(self.document_topic_.copy(), read.labels)

    def _output(self, weights, labels):
        """Returns weights in the format of set_output(). scikit-learn's own wrapper fails for lists, which have no index."""
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform", sklearn.get_config().get("transform_output"))
        if wanted != "pandas":
            return weights
        import pandas
        return pandas.DataFrame(weights, index=labels, columns=self.get_feature_names_out())

    def set_output(self, *, transform: Optional[str] = None) -> "typing_extensions.Self":
        """Selects what ``transform`` and ``fit_transform`` return: an array ("default"), or a frame ("pandas") whose columns are
        the topics and whose index is that of the documents. None changes nothing."""
        if transform not in (None, "default", "pandas"):
            raise ValueError(f'transform must be "default", "pandas" or None; got {transform!r}')
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit(self, docs: Any, y: Any = None) -> "typing_extensions.Self":
        """Finds the topics of documents, which are strings or counts of words (documents x terms)."""
        self._fit(docs)
        return self

    def fit_transform(self, docs: Any, y: Any = None) -> np.ndarray:
        """Finds the topics and returns p(topic | document), shape (n_documents, n_topics)."""
        return self._fit(docs)

    def transform(self, docs: Any) -> np.ndarray:
        """Returns p(topic | document) of other documents, shape (n_documents, n_topics)."""
        check_is_fitted(self)
        read = read_documents(docs, None, self.stop_words, self.terms_)
        X = read.X
        topic_word = np.ascontiguousarray(self.components_.T)
        model = ch_topics(terms=len(self.terms_), rank=len(self.components_), topic_word=pointer_to(topic_word),
                          idf=pointer_to(self.idf_), objective=self._objective_kind, weight=self._weight_kind)
        out = np.empty((len(self.components_), X.shape[0]))
        with Run(self.n_jobs, self.verbose) as run:
            view = View(X)
            run.call(library.ch_topics_project, pointer_to(out), view.matrix, model)
        return self._output(out.T, read.labels)

    def get_topic(self, topic: int) -> List[Tuple[str, float]]:
        """Returns the top words of a topic with p(word | topic)."""
        check_is_fitted(self)
        return [(str(self.terms_[w]), float(self.components_[topic, w])) for w in self._top[topic]
                if self.components_[topic, w] > 0]

    def get_topics(self) -> Dict[int, List[Tuple[str, float]]]:
        """Returns the top words of all topics, by number of the topic."""
        check_is_fitted(self)
        return {z: self.get_topic(z) for z in range(len(self.components_))}

    def get_representative_docs(self, topic: int, count: int = 5) -> np.ndarray:
        """Returns the documents with the largest share of a topic, among those with at least the median number of distinct
        words, because a short document often has only one topic. The page of ``conehull topics`` shows the same documents."""
        check_is_fitted(self)
        share = np.where(self._long, self.document_topic_[:, topic], 0)
        order = np.argsort(-share, kind="stable")[:count]
        return order[share[order] > 0]

    def get_topic_info(self) -> Any:
        """Returns a table with a row per topic: its number, the number of documents whose main topic it is, its name, share,
        coherence and words, and representative documents. It is a pandas frame, or a list of dicts if pandas is not
        installed."""
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
        """Returns the names of the topics with their numbers, as in "0_moon"."""
        check_is_fitted(self)
        return np.array([f"{z}_{name}" for z, name in enumerate(self.names_)], dtype=object)


@with_settings(TOPICS, leave_out=("n_components",))
def topics(docs: Any, n_components: int = 20, *, stop_words: Any = None, terms: Any = None, n_jobs: Optional[int] = None,
           verbose: int = 0, **settings) -> TopicModel:
    """Finds topics of documents. Returns a fitted :class:`TopicModel`.

    Parameters
    ----------
    docs : iterable of str (list, generator, pandas series), or counts of words
        Counts are an array, sparse matrix or frame of documents x terms; the columns of a frame are the terms. For texts in
        a frame pass their column: ``df["text"]``.
    n_components : int, default 20
        Number of topics.
    stop_words : "english", collection of str or None
        Words to leave out if documents are strings; "english" is the list of the command.
    terms : sequence of str or None
        The words of the columns, if documents are counts.
    n_jobs, verbose
        Number of threads (None uses all cores); whether to show a progress bar.
    {settings}

    Returns
    -------
    TopicModel

    Examples
    --------
    >>> import conehull
    >>> docs = ["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"] * 4
    >>> model = conehull.topics(docs, 2, stop_words="english")
    >>> for topic in sorted([word for word, weight in words] for words in model.get_topics().values()):
    ...     print(topic)
    ['ice', 'snow', 'cold']
    ['sea', 'sun', 'sand']
    """
    return TopicModel(n_components, stop_words=stop_words, terms=terms, n_jobs=n_jobs, verbose=verbose, **settings).fit(docs)


@dataclass(frozen=True, repr=False)
class Exemplars(Shown):
    """Documents that represent the others, in the order of selection.

    Attributes
    ----------
    indices : ndarray of int, shape (n_exemplars,)
        Numbers of the selected documents, from 0.
    stands_for : ndarray of int, shape (n_exemplars,)
        Number of documents that each exemplar represents.
    stand_in : ndarray of int, shape (n_documents,)
        The exemplar that represents each document, as a position in ``indices``; -1 if there is none.
    explained : float
        Share of the sum of squares that combinations of the exemplars explain.
    value, optimum : float
        For central and facility: the sum of the similarities, and an upper bound of it over all choices of as many
        documents. NaN for other methods.
    status : str
        "done", or the reason why there are fewer exemplars.
    labels : ndarray or None
        The labels of the exemplars, if documents are a series or frame: entries of its index.
    words : list of lists of str, or None
        The most characteristic terms of each exemplar, if terms are known.
    """

    indices: np.ndarray
    stands_for: np.ndarray
    stand_in: np.ndarray = field(repr=False)
    explained: float
    value: float
    optimum: float
    status: str
    labels: Optional[np.ndarray] = None
    words: Optional[List[List[str]]] = field(default=None, repr=False)

    def _facts(self) -> list:
        facts = [("exemplars", f"{listed(self.indices)}; of {len(self.stand_in)} documents"), ("stand for", listed(self.stands_for))]
        if self.labels is not None:
            facts.append(("labels", listed(self.labels)))
        for k, words in enumerate(self.words or []):
            facts.append((f"words of {self.indices[k]}", ", ".join(words)))
        return facts + [("explained", f"{self.explained:.1%} of the squares"), ("status", self.status)]


@with_settings(EXEMPLARS, only=("method", "similarity", "sample", "longest", "random_state"))
def exemplars(docs: Any, n_components: int, *, weight: str = "auto", stop_words: Any = None,
              terms: Any = None, n_jobs: Optional[int] = None, verbose: int = 0, **settings) -> Exemplars:
    """Selects a few documents (or rows of any non-negative data) that represent all others.

    Parameters
    ----------
    docs : iterable of str (list, generator, pandas series), or an array, sparse matrix or frame, a row per document
    n_components : int
        Number of exemplars.
    weight : str, default "auto"
        How the data are weighted for the method: "raw", "log", "tfidf", "logtfidf", "logrootidf", "l1", "l2", or a combination
        such as "tfidf+l2". "auto" means, for sparse data and text, logrootidf+l2 with central, facility and kmeans and l1 with
        other methods; for dense data it means raw.
    stop_words : "english", collection of str or None
        Words to leave out if documents are strings; "english" is the list of the command.
    terms : sequence of str or None
        The words of the columns, if documents are counts.
    n_jobs, verbose
        Number of threads (None uses all cores); whether to show a progress bar.
    {settings}

    Returns
    -------
    Exemplars
        With the fields ``indices`` (numbers of the selected documents, from 0), ``stands_for`` (number of documents that each
        represents), ``stand_in`` (the exemplar that represents each document), ``labels`` (from an index), ``words`` (the most
        characteristic terms), ``explained``, ``value``, ``optimum`` and ``status``.

    Examples
    --------
    >>> import conehull
    >>> docs = ["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"]
    >>> found = conehull.exemplars(docs, 2, stop_words="english")
    >>> [docs[k] for k in found.indices]
    ['sun and sea', 'snow and ice']
    >>> found.stand_in.tolist()
    [0, 0, 1, 1]
    >>> found.words
    [['sea', 'sun'], ['ice', 'snow']]
    """
    read = read_documents(docs, terms, stop_words)
    struct = EXEMPLARS.fill(settings)
    tail = EXEMPLARS.tail(struct)
    tail.weight.values, tail.weight.columns = _weighting(weight)
    with Run(n_jobs, verbose) as run:
        found = run.own(ch_exemplars, library.ch_exemplars_free)
        view = View(read.X)
        run.call(library.ch_exemplars_find, found.struct, view.matrix, _whole(n_components), struct)
        made = found.struct
        chosen = copied(made.columns, made.rank)
        return Exemplars(chosen, copied(made.stands_for, made.rank), copied(made.stand_in, made.cols), made.explained,
                         made.value, made.optimum, _errors.word(made.status),
                         None if read.labels is None else read.labels[chosen],
                         None if read.terms is None else characteristic_terms(read.X, chosen, read.terms))


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
    values = [part for part in parts if part in ("raw", "log", "tfidf", "logtfidf", "logrootidf")]
    columns = [part for part in parts if part in ("l1", "l2")]
    if len(values) != 1 or len(columns) != 1:
        raise ValueError("weight must join one of raw, log, tfidf, logtfidf, logrootidf with one of l1, l2, as in 'tfidf+l2'; "
                         f"got {text!r}")
    return _WEIGHTS[values[0]][0], _WEIGHTS[columns[0]][1]
