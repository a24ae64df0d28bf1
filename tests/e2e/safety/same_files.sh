# Input and output are never one file: refused with 2 before any work, whatever the name, and the input stays.
"$PYTHON" "$CASES/make_inputs.py" small || exit
. "$CASES/keep"
mkdir d
cp small.npy d/W.npy
keep d/W.npy anchors d/W.npy -r 2 -o d
keep d/W.npy anchors ./d/../d/W.npy -r 2 -o "$PWD/d"
ln -s d/W.npy link.npy
keep d/W.npy anchors link.npy -r 2 -o d
ln d/W.npy hard.npy
keep d/W.npy anchors hard.npy -r 2 -o d
ln -s d other
keep d/W.npy anchors d/W.npy -r 2 -o other
keep d/W.npy stream d/W.npy -r 2 -o d
printf '1,0\n0,1\n' >d/anchors.txt
conehull stream - -r 2 -o d <d/anchors.txt >/dev/null
echo "= $?" >&2
cat d/anchors.txt
echo "-- a file of another name in the folder is no output"
cp small.npy d/X.npy
conehull anchors d/X.npy -r 2 -o d >/dev/null
echo "= $?" >&2
echo "-- project: the new columns, the model"
conehull anchors small.npy -r 2 -o model >/dev/null
mkdir p
cp small.npy p/H.npy
keep p/H.npy project p/H.npy model -o p
keep model/H.npy project small.npy model -o model
echo "-- text, topics, exemplars"
mkdir t
printf 'one two\nthree one\n' >t/terms.txt
keep t/terms.txt text t/terms.txt -o t
keep t/terms.txt topics t/terms.txt -r 2 -o t
printf 'one\n' >t/names.txt
keep t/names.txt text small.txt -o t --stop-words t/names.txt
printf 'x\ny\n' >t/exemplars.txt
keep t/exemplars.txt exemplars t/exemplars.txt -r 1 -o t
keep t/exemplars.txt exemplars small.npy -r 1 -o t --labels t/exemplars.txt
mkdir texts out
printf 'one two\n' >out/names.txt
ln -s ../out/names.txt texts/a.txt
keep out/names.txt text texts -o out
echo "-- checkpoints and states are no inputs, and no results"
keep small.npy anchors small.npy -r 2 --checkpoint small.npy
keep small.npy stream small.npy -r 2 --state small.npy
conehull anchors small.npy -r 2 -o d --checkpoint d/H.npy >/dev/null
echo "= $?" >&2
conehull stream small.npy -r 2 -o d --state d/W.npy >/dev/null
echo "= $?" >&2
ls -A d
