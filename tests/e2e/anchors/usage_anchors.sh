# Wrong words after `conehull anchors`, `verify` and `project`: code 2 and what to do.
try() {
    conehull "$@"
    echo "code $?" >&2
}
"$PYTHON" "$CASES/make_inputs.py" small || exit
try anchors
try anchors small.npy
try anchors small.npy -r
try anchors small.npy -r 0
try anchors small.npy -r -3
try anchors small.npy -r 2x
try anchors small.npy -r 2.5
try anchors small.npy -r ''
try anchors small.npy -r 99999999999999999999
try anchors small.npy -r 2 --rank 3
try anchors small.npy -r 2 --metod spa
try anchors small.npy -r 2 --method spaa
try anchors small.npy -r 2 --loss l3
try anchors small.npy -r 2 --loss KL
try anchors small.npy -r 2 --loss custom
try anchors small.npy -r=2
try anchors - -r 2
try anchors small.npy -r 2 --tol nan
try anchors small.npy -r 2 --tol -1
try anchors small.npy -r 2 --threads 0x2
try anchors small.npy -r 2 --threads -1
try anchors small.npy -r 2 --threads 100000
try anchors small.npy -r 2 --seed 1.5
try anchors small.npy -r 2 --keep 1,,2
try anchors small.npy -r 2 --keep 1,x
try anchors small.npy -r 2 --keep -1
try anchors small.npy -r 2 --keep 7
try anchors small.npy -r 2 --keep 1,1
try anchors small.npy -r 2 --keep 0,1,2
try anchors small.npy -r 2 --plain
try anchors small.npy -r 2 --method spa --exterior rand
try anchors small.npy -r 2 --path --select-only
try anchors small.npy -r 2 --exterior dist
try anchors small.npy -r 2 --memory 1x
try anchors small.npy other.npy -r 2
try anchors small.npy -r 2 --json=1
try anchors small.npy -r 2 -o ''
try verify small.npy
try project small.npy dir
try anchors small.npy -r 2 --reverse
try anchors small.npy -r 2 --loss kl --beta 0.5
try anchors small.npy -r 2 --loss beta:x
try anchors small.npy -r auto --method hottopixx
try anchors small.npy -r auto --method spa
try anchors small.npy -r 2 --method hottopixx --alpha 5
try anchors small.npy -r 2 --method hottopixx --keep 1
try anchors small.npy -r 2 --method hottopixx --gap 0
try anchors small.npy -r 7 --method hottopixx
try anchors small.npy -r 2 --method smrs --alpha 0
try anchors small.npy -r 2 --method smrs --alpha -1
try anchors small.npy -r 2 --method smrs --alpha nan
try anchors small.npy -r 2 --method smrs --stop 0.1
try anchors small.npy -r 2 --linear
try anchors small.npy -r 2 --method spa --gap 0.1
