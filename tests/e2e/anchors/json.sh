# The JSON contract: keys, types, no NaN; stdout holds one object and nothing else.
"$PYTHON" "$CASES/make_inputs.py" small || exit
check='
import json, sys
def refuse(word): raise ValueError(word)
r = json.load(sys.stdin, parse_constant=refuse)
kinds = dict(method=str, loss=str, rank=int, shape=list, nnz=int, anchors=list, max_residual=list,
             objective=(float, type(None)), projections=int, unproven=int, floor=float, certificate=dict,
             seconds=dict, status=str)
for key, kind in kinds.items():
    assert isinstance(r[key], kind), key
assert set(r["certificate"]) == {"gap", "dual_infeasibility", "stationarity", "proof"}
assert set(r["seconds"]) == {"read", "select", "project", "write"}
assert all(isinstance(s, float) for s in r["seconds"].values())
assert r["rank"] == len(r["anchors"]) == len(r["max_residual"])
assert r["shape"] == [4, 6] and r["nnz"] == 16
print(r["method"], r["loss"], r["status"], sorted(r["anchors"]), r["objective"] is None)
'
for words in "" "--loss l2" "--method spa" "--method spa --plain" "--select-only" "--hull convex" "--hull convex0 --loss kl" "--negative clip" "--path" "--exterior rand --seed 3" \
    "--first paper" "--reselect 0" "--dual paper" "--eager" "--keep 2" "--projection admm" "--loss l2 --exterior dist" \
    "--loss l2 --exterior greedy" "--method spa --select-only" "--loss kl" "--loss is" "--loss beta:0.5" "--loss kl --reverse" \
    "--method hottopixx" "--method hottopixx --path" "--method fgnsr" "--method snpa" "--method pspa" "--method smoothed-spa --neighbours 1" "--method random-spa --tries 3" "--method smrs" "--method smrs --linear --select-only" "--method hottopixx --loss l2"; do
    echo "$words"
    conehull anchors small.npy -r 3 --json $words | "$PYTHON" -c "$check"
done
# Numbers with no more digits than they need, and the same numbers.
conehull anchors small.npy -r 2 --loss l2 --tol 0.0001 --stop 0.1 --json >answer
"$PYTHON" - <<'PYTHON'
import json, re
text = open("answer").read()
reals = re.findall(r"-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?|-?[0-9]+e[-+]?[0-9]+", text)
digits = lambda number: re.sub(r"^0+", "", re.sub(r"e.*|[-.]", "", number)).rstrip("0")
print(all(len(digits(real)) <= len(digits(repr(float(real)))) for real in reals), len(reals) > 10)
print({key: json.loads(text)["settings"][key] for key in ("tol", "stop", "gap")})
PYTHON
