"""Topics and exemplars of documents: strings and counts, other documents, oracles, wrong use."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

import conehull
from conehull.text import count_words

THEMES = {"space": "orbit shuttle moon rocket launch satellite lunar mission astronaut".split(),
          "food": "recipe oven garlic pepper sauce flavour dish kitchen bread".split(),
          "law": "senate vote election congress court judge policy party minister".split()}


@pytest.fixture(scope="module")
def docs():
    rng = np.random.RandomState(4)
    made = []
    for k in range(60):
        words = list(THEMES.values())[k % 3]
        made.append(" ".join(list(rng.choice(words, 10)) + list(rng.choice(["the", "and", "of", "it"], 5))))
    return made


def test_strings_become_counts():
    X, terms = count_words(["The cat's hat, it's 42 don't", "caf\u00e9 CAFE\u0301 x1 a"], stop_words=["hat"])
    assert terms.tolist() == ["caf\u00e9", "cat", "don't", "it", "the", "x1"]
    assert X.toarray().tolist() == [[0, 1, 1, 1, 1, 0], [2, 0, 0, 0, 0, 1]]


def test_representative_documents_are_not_short(docs):
    model = conehull.topics(docs + ["orbit"] * 5, 3, stop_words="english")
    for z in range(3):
        chosen = model.get_representative_docs(z)
        assert len(chosen) == 5 and (chosen < len(docs)).all() and (model.document_topic_[chosen, z] > 0).all()


def test_topics_are_the_themes(docs):
    model = conehull.topics(docs, 3, stop_words="english")
    assert len(set(model.topics_)) == 3
    for k in range(60):
        assert model.topics_[k] == model.topics_[k % 3]
    for z, name in enumerate(model.names_):
        assert name in [word for word, _ in model.get_topic(z)]
    assert np.allclose(model.components_.sum(1), 1) and np.allclose(model.document_topic_.sum(1), 1)
    info = model.get_topic_info()
    assert info["Count"].tolist() == [20, 20, 20] and len(info["Representative_Docs"][0]) == 3
    assert set(model.get_topics()) == {0, 1, 2}
    assert len(model.get_feature_names_out()) == 3


def test_counts_do_as_well(docs):
    vectorizer = CountVectorizer(stop_words="english")
    X = vectorizer.fit_transform(docs)
    terms = vectorizer.get_feature_names_out()
    sparse_model = conehull.TopicModel(3, terms=terms).fit(X)
    dense_model = conehull.TopicModel(3, terms=terms).fit(X.toarray().astype(float))
    by_strings = conehull.topics(docs, 3, stop_words="english")
    assert set(sparse_model.names_) == set(by_strings.names_)
    assert np.array_equal(sparse_model.components_, dense_model.components_)


def test_order_of_documents_changes_nothing(docs):
    order = np.random.RandomState(1).permutation(len(docs))
    a, b = conehull.topics(docs, 3), conehull.topics([docs[k] for k in order], 3)
    assert np.array_equal(a.components_, b.components_) and a.names_.tolist() == b.names_.tolist()
    assert np.array_equal(a.document_topic_[order], b.document_topic_)


def test_other_documents(docs):
    model = conehull.TopicModel(3, stop_words="english")
    weights = model.fit_transform(docs)
    assert np.allclose(model.transform(docs), weights, atol=1e-6)
    assert np.array_equal(clone(model).fit(docs).transform(docs[:5]), model.transform(docs[:5]))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(docs[:5]), model.transform(docs[:5]))
    new = model.transform(["a rocket on its mission to the moon", "nothing known"])
    assert new[0].argmax() == model.topics_[0] and new[1].sum() == 0


def test_exemplars_stand_for_their_theme(docs):
    found = conehull.exemplars(docs, 6, stop_words="english")
    assert found.status == "done" and len(set(found.indices)) == 6 and found.stands_for.sum() == 60
    assert all(found.indices[place] % 3 == k % 3 for k, place in enumerate(found.stand_in))
    assert 0 < found.value <= found.optimum


def test_facility_is_the_greedy_choice():
    rng = np.random.RandomState(0)
    X = sparse.random(80, 30, 0.2, "csr", random_state=rng)
    found = conehull.exemplars(X, 8, method="facility", weight="raw", similarity="cosine")
    Z = X.toarray()
    norms = np.linalg.norm(Z, axis=1)
    Z = Z / np.where(norms > 0, norms, 1)[:, None]
    S, cover = Z @ Z.T, np.zeros(80)
    for j in found.indices:
        gains = np.maximum(S - cover, 0).sum(1)
        assert gains[j] >= gains.max() - 1e-6
        cover = np.maximum(cover, S[j])
    assert abs(found.value - cover.sum()) < 1e-5


def test_frames_go_by_rows(docs):
    pandas = pytest.importorskip("pandas")
    X, terms = count_words(docs, "english")
    index = [f"letter {k}" for k in range(len(docs))]
    frame = pandas.DataFrame(X.toarray(), columns=terms, index=index)
    by_counts = conehull.topics(X, 3, terms=terms)
    by_frame = conehull.topics(frame, 3)
    assert by_frame.terms_.tolist() == terms.tolist()
    assert np.array_equal(by_frame.components_, by_counts.components_)
    assert np.array_equal(by_frame.transform(frame), by_counts.transform(X))
    assert np.array_equal(conehull.topics(pandas.DataFrame.sparse.from_spmatrix(X, columns=terms), 3).components_,
                          by_counts.components_)
    found, plain = conehull.exemplars(frame, 5), conehull.exemplars(X.toarray(), 5)
    assert np.array_equal(found.indices, plain.indices) and plain.labels is None and plain.words is None
    assert found.labels.tolist() == [index[k] for k in found.indices]
    assert all(word in docs[k].split() for k, words in zip(found.indices, found.words) for word in words)
    with pytest.raises(ValueError, match="not the ones that the topics were fitted on"):
        by_frame.transform(frame[frame.columns[::-1]])
    texts = pandas.DataFrame({"stars": range(60), "review": docs})
    for call in (lambda: conehull.topics(texts, 3), lambda: conehull.exemplars(texts, 3), lambda: by_frame.transform(texts)):
        with pytest.raises(ValueError, match=r"pass df\['review'\]"):
            call()
    by_series = conehull.exemplars(texts["review"].set_axis(index), 5, stop_words="english")
    assert by_series.labels.tolist() == [index[k] for k in by_series.indices] and len(by_series.words) == 5


def test_documents_of_other_kinds(docs):
    wanted = conehull.topics(docs, 3).components_
    for same in (tuple(docs), (text for text in docs), np.array(docs), np.array(docs, dtype=object), iter(docs)):
        assert np.array_equal(conehull.topics(same, 3).components_, wanted)
    model = conehull.topics(docs, 3)
    assert np.array_equal(model.transform(text for text in docs), model.transform(docs))
    for bad, message in (([float("nan"), "a"], r"document 0 is not a string \(nan\); fill a series with fillna\(''\)"),
                         (["a", None], r"document 1 is not a string \(None\)"),
                         ([b"bytes"], "document 0 is bytes instead of a string; decode it"),
                         ([["two", "words"]], "join them"), ({"a": "b"}, "pass a list"), ([], "the list of documents is empty"),
                         (["zero\0"], "document 0 contains a zero"), (["\ud800"], "document 0 contains half of a surrogate"),
                         (np.array([["a", "b"]]), "2 dimensions"), (["1", "..."], "the documents contain no words")):
        for call in (conehull.topics, conehull.exemplars):
            with pytest.raises(ValueError, match=message):
                call(bad, 1)


def test_output_as_a_frame(docs):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(docs, index=range(100, 160))
    model = conehull.TopicModel(3, stop_words="english").set_output(transform="pandas")
    frame = model.fit_transform(series)
    assert frame.columns.tolist() == model.get_feature_names_out().tolist() and frame.index[0] == 100
    assert np.array_equal(frame.to_numpy(), model.document_topic_)
    assert model.transform(docs[:4]).shape == (4, 3) and clone(model).fit(docs).transform(docs).columns[0][:2] == "0_"
    assert isinstance(model.set_output(transform="default").transform(docs), np.ndarray)
    with pytest.raises(ValueError, match="transform must be"):
        model.set_output(transform="arrow")


def test_wrong_use_is_explained(docs):
    with pytest.raises(ValueError, match="stop_words can be used only if the documents are strings"):
        conehull.topics(np.ones((5, 4)), 2, terms=list("abcd"), stop_words="english")
    with pytest.raises(ValueError, match="terms can be used only if X contains counts"):
        conehull.topics(docs, 2, terms=["a"])
    with pytest.raises(ValueError, match="not one string"):
        conehull.topics("one string", 2)
    with pytest.raises(ValueError, match=r"document 1 is not a string \(3\)"):
        conehull.topics(["a b", 3], 2)
    with pytest.raises(ValueError, match="terms has 3 entries, but the counts have 4 columns"):
        conehull.TopicModel(2, terms=["a", "b", "c"]).fit(np.ones((5, 4)))
    with pytest.raises(ValueError, match="stop_words"):
        conehull.topics(docs, 2, stop_words="klingon")
    with pytest.raises(ValueError, match="weight must be one of"):
        conehull.exemplars(docs, 2, weight="best")
    with pytest.raises(ValueError, match="n_components"):
        conehull.exemplars(docs, 0)
    with pytest.raises(ValueError):
        conehull.exemplars(docs, 1000)
    with pytest.raises(ValueError, match="topics need at least as many"):
        conehull.topics(["only one", "two here"], 5)


def test_missing_counts_are_named():
    pandas = pytest.importorskip("pandas")
    counts = pandas.DataFrame({"sun": [1.0, None, 2.0, 0.0], "ice": [0.0, 1.0, 2.0, 3.0]}, index=list("abcd"))
    for call in (conehull.topics, conehull.exemplars):
        with pytest.raises(ValueError, match=r"row 'b', column 'sun' of the data frame is missing \(1 counts are\).*fillna\(0\)"):
            call(counts, 2)
    assert len(conehull.exemplars(counts.fillna(0), 2).indices) == 2
