# Every kind of bad input: a message that names file, place, value and remedy, the documented code,
# nothing on stdout, even with --json.
"$PYTHON" "$CASES/make_inputs.py" bad || exit
mkdir folder folder.npy
for file in nan.npy nan.csv negative.npy negative.csv infinite.npy infinite.csv no_rows.npy no_cols.npy \
    zero.npy complex.npy cube.npy text.npy empty.npy empty.csv truncated.npy absurd.npy large.npy \
    garbage.npy garbage.mat ragged.csv words.csv short.mtx outside.mtx X.xyz folder folder.npy \
    missing.npy missing/X.npy ''; do
    conehull anchors "$file" -r 2 --method spa --json -o out
    echo "code $?" >&2
    [ -e out ] && echo "out is there" >&2
done
# Transposed, the place is told as the user sees it after --transpose.
conehull anchors negative.npy -r 2 --method spa --transpose
echo "code $?" >&2
conehull anchors rank.npy -r 2 --method spa --var X
echo "code $?" >&2
# More anchors than there are columns that could be one.
for method in spa xray; do
    for file in rank.npy some_zero.npy; do
        conehull anchors $file -r 8 --method $method
        echo "code $?" >&2
    done
done
# Zero data has no anchors at all.
conehull anchors zero.npy -r 2
echo "code $?" >&2
conehull anchors zero.npy -r auto
echo "code $?" >&2
