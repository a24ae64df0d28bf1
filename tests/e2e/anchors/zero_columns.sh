# All-zero columns and rows are no error; more anchors than the cone needs is a complete answer.
"$PYTHON" "$CASES/make_inputs.py" bad small || exit
for method in spa xray "xray --loss l2"; do
    for words in "some_zero.npy -r 5" "rank.npy -r 1" "small.npy -r 4" "small.npy -r 4 --keep 1"; do
        [ "$method" = spa ] && [ "${words%keep*}" != "$words" ] && continue
        echo "$words --method $method"
        conehull anchors $words --method $method --json >answer
        echo "code $?"
        sed -E 's/.*("rank": [0-9]+).*("anchors": \[[^]]*\]).*("status": "[a-z]*").*/\1 \2 \3/' answer
    done
done
