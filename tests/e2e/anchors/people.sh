# What people see.
"$PYTHON" "$CASES/make_inputs.py" small || exit
conehull anchors small.npy -r 3 --method spa
echo "= $?"
conehull anchors small.npy -r 3
echo "= $?"
conehull anchors small.npy -r 3 --select-only --method spa -o out
echo "= $?"
conehull anchors small.npy -r 6
echo "= $?"
conehull anchors small.npy -r auto
echo "= $?"
conehull anchors small.npy -r 2 --select-only
echo "= $?"
conehull anchors small.npy -r 4 --method spa
echo "= $?"
conehull anchors small.npy -r 1 --transpose --keep 2
echo "= $?"
conehull anchors small.npy -r 3 --method hottopixx
echo "= $?"
