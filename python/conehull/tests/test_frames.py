"""Labels of frames: in results, in messages, and where they are given. What a frame may hold."""
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

import conehull
from conehull.tests import data

pandas = pytest.importorskip("pandas")
NOISE = np.random.RandomState(0).rand(60, 9)


def test_names_go_all_the_way():
    X, planted = data.separable()
    frame = pandas.DataFrame(X, index=[f"day {i}" for i in range(60)], columns=[f"band {j}" for j in range(20)])
    found = conehull.anchors(frame, 4)
    assert sorted(found.names) == sorted(f"day {i}" for i in planted) and found.feature_names[2] == "band 2"
    assert "day" in repr(found) and found.sample_names[59] == "day 59"
    assert conehull.anchors(X, 4).names is None
    model = conehull.SeparableNMF(4).fit(frame)
    chosen = model.get_anchors()
    pandas.testing.assert_frame_equal(chosen, frame.loc[model.anchors_names_])
    assert list(model.get_feature_names_out()) == list(model.anchors_names_)
    weights = model.set_output(transform="pandas").transform(frame)
    assert list(weights.index) == list(frame.index)
    for cls in (conehull.RobustNMF, conehull.MiniBatchSeparableNMF):
        other = cls(3).set_output(transform="pandas").fit(frame)
        assert list(other.feature_names_in_) == list(frame.columns) and other.transform(frame).index[3] == "day 3"
    streamed = conehull.MiniBatchSeparableNMF(4)
    for start in range(0, 60, 25):
        streamed.partial_fit(frame.iloc[start:start + 25])
    assert sorted(streamed.anchors_names_) == sorted(f"day {i}" for i in planted)
    assert sorted(streamed.get_anchors().index) == sorted(f"day {i}" for i in planted)


def frame_of(X):
    return pandas.DataFrame(X, index=[f"day {i}" for i in range(X.shape[0])], columns=[f"band {j}" for j in range(X.shape[1])])


def test_messages_name_the_labels():
    X = NOISE.copy()
    X[3, 2] = -1
    for call in (lambda: conehull.SeparableNMF(2).fit(frame_of(X)), lambda: conehull.anchors(frame_of(X), 2),
                 lambda: conehull.project(frame_of(X), NOISE[:2]),
                 lambda: conehull.SeparableNMF(2).fit(frame_of(NOISE)).transform(frame_of(X)),
                 lambda: conehull.MiniBatchSeparableNMF(2).fit(frame_of(X))):
        with pytest.raises(ValueError, match=r"sample 3 \('day 3'\), feature 2 \('band 2'\) is negative, -1,"):
            call()
    model = conehull.MiniBatchSeparableNMF(2).partial_fit(frame_of(NOISE))
    with pytest.raises(ValueError, match=r"sample 63 \('day 3'\)"):
        model.partial_fit(frame_of(X))


def test_columns_without_numbers_are_named():
    frame = frame_of(NOISE).assign(kind="red", when="today")
    for call in (conehull.SeparableNMF(2).fit, lambda X: conehull.anchors(X, 2), conehull.RobustNMF(2).fit):
        with pytest.raises(ValueError, match=r"contain no numbers: 'kind' \(object, for example 'red'\), 'when' \(object, for example "
                                             r"'today'\); remove them, X.drop\(columns=\['kind', 'when'\]\)"):
            call(frame)
    assert conehull.SeparableNMF(2).fit(frame_of(NOISE).astype(object)).n_components_ == 2  # numbers, whatever they are kept as


def test_anchors_can_be_kept_by_their_labels():
    frame = frame_of(NOISE)
    assert list(conehull.SeparableNMF(3, keep=["day 7", 2]).fit(frame).anchors_names_[:2]) == ["day 7", "day 2"]
    assert conehull.anchors(frame, 3, keep=["day 7"]).anchors[0] == 7
    with pytest.raises(ValueError, match="keep has 'day 700', which is not the label"):
        conehull.anchors(frame, 3, keep=["day 700"])
    with pytest.raises(ValueError, match="X has no labels"):
        conehull.anchors(NOISE, 3, keep=["day 7"])


def test_labels_keep_their_type_and_frames_come_back():
    frame = frame_of(NOISE).set_axis(pandas.date_range("2020-01-01", periods=60))
    model = conehull.SeparableNMF(3).set_output(transform="pandas")
    weights = model.fit_transform(frame)
    pandas.testing.assert_frame_equal(frame.loc[model.anchors_names_], model.get_anchors(), check_freq=False)
    back = model.inverse_transform(weights)
    assert list(back.columns) == list(frame.columns) and (back.index == frame.index).all()
    np.testing.assert_allclose(back.to_numpy(), weights.to_numpy() @ model.components_)
    assert isinstance(model.inverse_transform(weights.to_numpy()), np.ndarray)


# ---- names of axes, and samples without labels ----


def with_axes(X):
    return frame_of(X).rename_axis(index="date", columns="band")


@pytest.mark.parametrize("model", [conehull.SeparableNMF(3), conehull.SPA(3), conehull.MiniBatchSeparableNMF(3)])
def test_the_names_of_the_axes_stay(model):
    frame = with_axes(NOISE)
    chosen = model.fit(frame).get_anchors()
    pandas.testing.assert_frame_equal(chosen, frame.iloc[model.anchors_])
    assert chosen.index.name == "date" and chosen.columns.name == "band"
    back = model.inverse_transform(pandas.DataFrame(model.transform(frame), index=frame.index))
    assert back.columns.name == "band" and back.index.name == "date"


def test_columns_and_levels_of_any_kind_come_back():
    frame = pandas.DataFrame(NOISE, columns=range(400, 490, 10), index=pandas.MultiIndex.from_product(
        [["a", "b", "c"], range(20)], names=["site", "day"])).rename_axis(columns="nm")
    model = conehull.SeparableNMF(3).fit(frame)
    pandas.testing.assert_frame_equal(model.get_anchors(), frame.iloc[model.anchors_])
    assert model.anchors_names_[0] == frame.index[model.anchors_[0]]


def test_a_library_keeps_its_labels():
    frame = with_axes(NOISE)
    model = conehull.SeparableNMF(3, library=frame_of(NOISE[:2] + 1).set_axis(["iron", "clay"])).fit(frame)
    assert list(model.get_anchors().index[:2]) == ["iron", "clay"] and model.get_anchors().index.name == "date"


def test_missing_names_are_explained():
    model = make_pipeline(MaxAbsScaler(), conehull.SeparableNMF(3)).fit(frame_of(NOISE))[-1]
    with pytest.raises(AttributeError, match=r'anchors_names_.*no labels.*set_output\(transform="pandas"\).*frame.index\[model.anchors_\]'):
        model.anchors_names_
    assert not hasattr(model, "anchors_names_") and not hasattr(conehull.SeparableNMF(3), "anchors_names_")
    with pytest.raises(AttributeError, match="^'SeparableNMF' object has no attribute 'no_such_thing'$"):
        model.no_such_thing
    with pytest.raises(AttributeError, match="no labels"):
        conehull.MiniBatchSeparableNMF(3).fit(NOISE).anchors_names_
    named = make_pipeline(MaxAbsScaler(), conehull.SeparableNMF(3)).set_output(transform="pandas").fit(frame_of(NOISE))[-1]
    assert named.anchors_names_[0].startswith("day ")


def test_names_of_samples_are_in_all_outputs():
    frame = with_axes(NOISE)
    for model in (conehull.SeparableNMF(3, loss="l2"), conehull.SPA(3), conehull.RobustNMF(2), conehull.MiniBatchSeparableNMF(3)):
        model.set_output(transform="pandas")
        weights = model.fit_transform(frame)
        pandas.testing.assert_index_equal(weights.index, frame.index)
        pandas.testing.assert_frame_equal(model.transform(frame), weights)
        pandas.testing.assert_index_equal(model.inverse_transform(weights).index, frame.index)


# ---- what a frame may hold ----


def test_dates_are_refused_by_their_column():
    when = pandas.date_range("2020-01-01", periods=60)
    for frame, what in ((frame_of(NOISE).assign(when=when), r"'when' of the frame holds dates \(datetime64\[ns\]\)"),
                        (pandas.DataFrame({"when": when}), "'when' of the frame holds dates"),
                        (frame_of(NOISE).assign(late=when - when[0]), r"'late' of the frame holds time differences \(timedelta64\[ns\]\)"),
                        (frame_of(NOISE).assign(when=when.tz_localize("UTC")), r"'when' of the frame holds dates \(.*UTC\]\)")):
        for call in (conehull.SeparableNMF(1).fit, lambda X: conehull.anchors(X, 1), conehull.MiniBatchSeparableNMF(1).fit,
                     conehull.RobustNMF(1).fit):
            with pytest.raises(ValueError, match=what + r".*X.drop\(columns=.*X.set_index"):
                call(frame)
    with pytest.raises(ValueError, match="X holds dates"):
        conehull.anchors(when.to_numpy()[:, None], 1)


def test_a_cell_without_a_number_is_named():
    frame = frame_of(NOISE).astype({"band 2": object})
    frame.iloc[7, 2] = "n/a"
    message = (r"column 'band 2' of the frame \(object\) holds 'n/a' in row 'day 7', which is not a number \(1 of 60 values of this "
               r"column, 1 such columns\).*pandas.to_numeric\(X\['band 2'\], errors='coerce'\).*missing=\"nan\"")
    for call in (conehull.SeparableNMF(2).fit, lambda X: conehull.anchors(X, 2), conehull.MiniBatchSeparableNMF(2).fit):
        with pytest.raises(ValueError, match=message):
            call(frame)
    frame["band 2"] = pandas.to_numeric(frame["band 2"], errors="coerce")  # the advice works
    assert conehull.SeparableNMF(2, missing="nan").fit(frame).n_components_ == 2
    nothing = frame_of(NOISE).astype(object)
    nothing.iloc[3, 4] = None
    assert conehull.SeparableNMF(2, missing="nan").fit(nothing).n_components_ == 2


def test_negative_values_of_held_out_samples_are_explained():
    frame = frame_of(NOISE)
    train, held = frame.iloc[:40], frame.iloc[40:] - 0.2
    pipe = make_pipeline(MinMaxScaler(), conehull.SeparableNMF(3)).set_output(transform="pandas").fit(train)
    with pytest.raises(ValueError, match=r"sample \d+ \('day \d+'\), feature \d+ \('band \d'\) is negative, -.*scaler that was fitted "
                                         r'to other samples.*MinMaxScaler\(clip=True\) or negative="clip"') as refused:
        pipe.transform(held)
    assert "column" not in str(refused.value)
    with pytest.raises(ValueError, match="is negative") as refused:
        conehull.SeparableNMF(3).fit(held)
    assert "scaler" not in str(refused.value)  # a fit has no earlier samples
    assert make_pipeline(MinMaxScaler(clip=True), conehull.SeparableNMF(3)).fit(train).transform(held).shape == (20, 3)
    with pytest.warns(conehull.DataWarning, match='negative="clip" set'):
        make_pipeline(MinMaxScaler(), conehull.SeparableNMF(3, negative="clip")).fit(train).transform(held)


@pytest.mark.parametrize("model", [conehull.SPA(2), conehull.Hottopixx(2), conehull.SMRS(2), conehull.MiniBatchSeparableNMF(2)])
def test_advice_about_missing_values_can_be_followed(model):
    X = NOISE.copy()
    X[3, 2] = np.nan
    for call in (lambda: model.fit(frame_of(X)), lambda: model.fit(frame_of(NOISE)).transform(frame_of(X))):
        with pytest.raises(ValueError, match=r"'band 2'.*") as refused:
            call()
        assert "missing=" not in str(refused.value) or 'SeparableNMF(missing="nan")' in str(refused.value), refused.value
    with pytest.raises(ValueError, match=r'not known, use missing="nan", which fits each sample to its known values'):
        conehull.SeparableNMF(2).fit(X)


# ---- keep: positions or labels ----


def numbered(labels):
    return pandas.DataFrame(NOISE, index=labels)


def test_numbers_in_keep_are_positions():
    frame = numbered(range(100, 160))
    assert conehull.anchors(frame, 3, keep=[7]).anchors[0] == 7
    with pytest.raises(ValueError, match="keep"), pytest.warns(conehull.DataWarning, match="there is no such position.*label 107"):
        conehull.anchors(frame, 3, keep=[107])
    shifted = numbered(range(1, 61))  # 7 is the label of the sample in position 6
    with pytest.warns(conehull.DataWarning, match=r"keep has 7, a position from 0: the sample there has the label 8.*Index\(\[7\]\)"):
        assert conehull.anchors(shifted, 3, keep=[7]).anchors[0] == 7


def test_an_index_in_keep_holds_labels(recwarn):
    shifted = numbered(range(1, 61))
    assert conehull.anchors(shifted, 3, keep=pandas.Index([7, 2])).anchors[:2].tolist() == [6, 1]
    model = conehull.SeparableNMF(3).fit(shifted)
    again = conehull.SeparableNMF(3, keep=model.get_anchors().index).fit(shifted)
    assert again.anchors_.tolist() == model.anchors_.tolist()
    assert conehull.anchors(numbered(range(60)), 3, keep=[7]).anchors[0] == 7  # label and position agree
    assert not [w for w in recwarn if "keep" in str(w.message)]
    dates = frame_of(NOISE).set_axis(pandas.date_range("2020-01-01", periods=60))
    assert conehull.anchors(dates, 3, keep=[pandas.Timestamp("2020-01-05")]).anchors[0] == 4
    with pytest.raises(ValueError, match="keep has 3, which is the label of several samples"):
        conehull.anchors(numbered([3] * 60), 3, keep=pandas.Index([3]))
    with pytest.raises(ValueError, match="keep must be a list of whole numbers or labels; got 'day 7'"):
        conehull.anchors(frame_of(NOISE), 3, keep="day 7")


def test_columns_of_weights_are_named_by_anchors():
    X, planted = data.separable()
    plain = conehull.SeparableNMF(4).fit(X)
    assert list(plain.get_feature_names_out()) == [f"separablenmf{k}" for k in range(4)]  # no labels
    double = pandas.DataFrame(X, index=["same"] * 60)
    made = conehull.SeparableNMF(4).set_output(transform="pandas").fit_transform(double)
    assert list(made.columns) == [f"same [{k}]" for k in plain.anchors_] and made.columns.is_unique
    levels = pandas.MultiIndex.from_product([["a", "b"], range(30)])
    model = conehull.SeparableNMF(4).fit(pandas.DataFrame(X, index=levels))
    assert list(model.get_feature_names_out()) == [f"{'ab'[k // 30]}, {k % 30}" for k in model.anchors_]
    streamed = conehull.MiniBatchSeparableNMF(4).set_output(transform="pandas")
    frame = pandas.DataFrame(X, index=[f"day {i}" for i in range(60)])
    assert sorted(streamed.fit_transform(frame).columns) == sorted(f"day {k}" for k in planted)


def test_labels_in_another_order_are_refused():
    """Wherever a frame or a Series comes beside X, as for X itself in transform."""
    frame = frame_of(data.separable()[0])
    turned, shuffled = frame.columns[::-1], frame.index[::-1]
    model = conehull.SeparableNMF(4).set_output(transform="pandas").fit(frame)
    weights, anchors = model.transform(frame), model.get_anchors()
    with pytest.raises(ValueError, match=r"W has the labels .* in another order; .*W\[model.get_feature_names_out\(\)\]"):
        model.inverse_transform(weights[weights.columns[::-1]])
    with pytest.raises(ValueError, match="W has the labels .* which differ"):
        model.inverse_transform(weights.rename(columns={weights.columns[0]: "x"}))
    assert np.allclose(model.inverse_transform(weights.set_axis(range(4), axis=1)), frame)  # no labels of their own
    with pytest.raises(ValueError, match=r"components has the labels .* in another order; .*components\[X.columns\]"):
        conehull.project(frame, anchors[turned])
    conehull.project(frame, anchors), conehull.project(frame.to_numpy(), anchors[turned])  # nothing to compare
    with pytest.raises(ValueError, match="library has the labels"):
        conehull.anchors(frame, 5, library=anchors[turned])
    for wrong in (conehull.verify, lambda X, _: model.verify(X)):
        with pytest.raises(ValueError, match="X has the labels .* the features of the fit have"):
            wrong(frame[turned], conehull.anchors(frame, 4))
    series = pandas.Series(1.0, index=shuffled)
    mask = pandas.DataFrame(1.0, index=frame.index, columns=turned)
    for keywords, fix in ((dict(sample_weight=series), r"sample_weight.loc\[X.index\]"),
                          (dict(feature_weight=pandas.Series(1.0, index=turned)), r"feature_weight.loc\[X.columns\]"),
                          (dict(observed=mask), r"observed\[X.columns\]"), (dict(entry_weight=mask.T.T), r"entry_weight\[X.columns\]")):
        with pytest.raises(ValueError, match=f"in another order; .*{fix}"):
            conehull.anchors(frame, 4, **keywords)
        with pytest.raises(ValueError, match=fix):
            conehull.project(frame, anchors, **keywords)
        given = {name: value for name, value in keywords.items() if name != "feature_weight"}
        with pytest.raises(ValueError, match=fix):
            conehull.SeparableNMF(4, feature_weight=keywords.get("feature_weight")).fit(frame, **given)
    plain = conehull.anchors(frame, 4)
    for series in (pandas.Series(1.0, index=frame.index), pandas.Series(np.ones(60)), np.ones(60)):
        assert conehull.anchors(frame, 4, sample_weight=series).anchors.tolist() == plain.anchors.tolist()


def test_weights_that_are_no_numbers():
    frame = frame_of(NOISE)
    with pytest.raises(ValueError, match="sample_weight must be a list of numbers, one for each sample; got 'balanced'"):
        conehull.anchors(frame, 3, sample_weight="balanced")
    with pytest.raises(ValueError, match=r"feature_weight must be a list of numbers.*got a dict.*pandas.Series"):
        conehull.SeparableNMF(3, feature_weight={"band 1": 0}).fit(frame)


def test_all_columns_without_numbers_are_named_at_once():
    when = pandas.date_range("2020-01-01", periods=60)
    frame = frame_of(NOISE).assign(when=when, kind="red", late=when - when[0])
    with pytest.raises(ValueError, match=r"'when' .* holds dates .*other columns without numbers are 'late', 'kind'; .*"
                                         r"X.drop\(columns=\['when', 'late', 'kind'\]\)"):
        conehull.anchors(frame, 2)
    conehull.anchors(frame.drop(columns=["when", "late", "kind"]), 2)
    with pytest.raises(ValueError, match=r"holds complex numbers .*use its magnitude, X\['band 1'\].abs\(\)"):
        conehull.anchors(frame_of(NOISE).astype({"band 1": complex}), 2)


def test_what_is_no_table_of_numbers():
    texts = frame_of(NOISE).round(3).astype(str).apply(lambda column: column.str.replace(".", ",", regex=False))
    with pytest.raises(ValueError, match=r"decimal comma, such as '0,\d+' in column 'band 0'; .*decimal=\",\""):
        conehull.anchors(texts, 2)
    fixed = texts.apply(lambda column: column.str.replace(",", ".").astype(float))  # the advice works
    assert conehull.anchors(fixed, 2).anchors.tolist() == conehull.anchors(frame_of(NOISE).round(3), 2).anchors.tolist()
    for call in (conehull.SeparableNMF(2).fit, lambda X: conehull.anchors(X, 2)):
        with pytest.raises(ValueError, match=r"got the path 'foods.csv'. .*pandas.read_csv\('foods.csv', index_col=0\)"):
            call("foods.csv")
        with pytest.raises(ValueError, match="X has no features"):
            call(frame_of(NOISE).iloc[:, :0])
