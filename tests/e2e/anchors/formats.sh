# The same data gives the same anchors in every format, order and type and for any threads.
"$PYTHON" "$CASES/make_inputs.py" formats || exit
anchors() {
    conehull anchors "$@" -r 5 --json --quiet |
        sed -E 's/.*"shape": (\[[^]]*\]), "nnz": ([0-9]+), "anchors": (\[[^]]*\]).*/\1 \2 \3/'
}
for method in "spa" "xray --loss l1" "xray --loss l2"; do
    anchors f64_c.npy --method $method --threads 1 | tee first
    for input in f64_c.npy f64_f.npy f32_c.npy f32_f.npy u8.npy u16.npy i64.npy f64_big_endian.npy \
        one.npz "two.npz --var X" sparse.npz sparse.mtx sparse.mtx.gz array.mtx v5.mat v7.mat sparse.mat \
        "X.h5 --var X" X.h5 X.csv X.tsv header.csv "turned.npy --transpose"; do
        # Every kind of numbers in memory with several numbers of threads: other files become one of these kinds.
        case "$method $input" in spa\ *.npy | spa\ sparse.npz) some="1 2 4" ;; *) some=2 ;; esac
        for threads in $some; do
            anchors $input --method $method --threads $threads | cmp -s - first ||
                echo "differs: $input, method $method, $threads threads"
        done
    done
done
