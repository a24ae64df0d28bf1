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
