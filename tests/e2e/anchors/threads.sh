# Anchors, W, H and duals have the same bits for any number of threads, and in a second run.
"$PYTHON" "$CASES/make_inputs.py" noisy || exit
for words in "" "--loss l2" "--method spa" "--exterior rand" "--projection admm"; do
    conehull anchors noisy.npy -r 6 -o first --threads 1 $words >/dev/null
    for threads in 1 2 4 7; do
        conehull anchors noisy.npy -r 6 -o other --threads $threads $words >/dev/null
        for file in anchors.txt W.npy H.npy certificate.npz; do
            cmp first/$file other/$file || echo "differs: $words, $threads threads"
        done
    done
    conehull anchors noisy.npy -r 6 -o other --eager $words >/dev/null 2>&1 &&
        for file in anchors.txt W.npy H.npy; do
            cmp first/$file other/$file || echo "differs: $words, eager"
        done
done
exit 0
