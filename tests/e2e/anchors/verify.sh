# verify: code 0 for what anchors wrote, 1 for anything that was changed, 2 and 3 for broken files.
"$PYTHON" "$CASES/make_inputs.py" noisy || exit
"$PYTHON" -c '
import numpy as np
X = np.random.RandomState(4).rand(8, 20) ** 3
X[:, 7] = 0
np.save("shares.npy", X)'
verdict() {
    conehull verify noisy.npy "$1" --json >answer
    local code=$?
    "$PYTHON" -c 'import json, sys; r = json.load(open("answer")); print(sys.argv[1], r["ok"], r["gap"] is not None and r["gap"] <= 1e-9, bool(r["why"]))' \
        "$1: code $code,"
}
for words in "" "--loss l2" "--method spa" "--exterior rand" "--keep 2,30" "--first paper"; do
    conehull anchors noisy.npy -r 5 -o good $words >/dev/null
    echo "anchors $words"
    verdict good
done
conehull anchors noisy.npy -r 5 -o good >/dev/null
change() { # NAME, FILE, what to do with the array a
    cp -r good "$1"
    "$PYTHON" -c "import numpy as np; a = np.load('$1/$2'); $3; np.save('$1/$2', a)"
    verdict "$1"
}
change other_W W.npy 'a[2, 1] += 1e-3'
change negative_H H.npy 'a[1, 5] = -0.1'
change other_H H.npy 'a[:, 7] *= 1.5'
change short_H H.npy 'a = a[:, :-1]'
change row_major_H H.npy 'a = np.ascontiguousarray(a)'
cp -r good other_anchor
sed -i '1s/.*/0/' other_anchor/anchors.txt
verdict other_anchor
cp -r good other_anchors
sed -i '1s/.*/0/' other_anchors/anchors.txt
"$PYTHON" -c '
import json
r = json.load(open("other_anchors/result.json"))
r["anchors"][0] = 0
json.dump(r, open("other_anchors/result.json", "w"))'
verdict other_anchors
cp -r good other_objective
sed -i -E 's/("objective": [0-9.]*)[0-9]{10},/\10000000000,/' other_objective/result.json
verdict other_objective
cp -r good no_steps
"$PYTHON" -c '
import numpy as np
arrays = dict(np.load("good/certificate.npz"))
for name in ("step_exterior", "step_anchor"):
    arrays[name] = arrays[name][:0]
arrays["step_dual"] = np.asfortranarray(arrays["step_dual"][:, :0])
np.savez("no_steps/certificate.npz", **arrays)'
verdict no_steps
cp -r good wild_duals
"$PYTHON" -c '
import numpy as np
arrays = dict(np.load("good/certificate.npz"))
arrays["dual_row"][:] = 10**6
np.savez("wild_duals/certificate.npz", **arrays)'
verdict wild_duals
cp -r good fewer_anchors
sed -i '$d' fewer_anchors/anchors.txt
verdict fewer_anchors
# Numbers of result.json that do not follow from the data, and what a forger would like to declare.
forge() { # NAME, what to do with the object r
    cp -r good "forged_$1"
    "$PYTHON" - "forged_$1/result.json" "$2" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(r, open(sys.argv[1], "w"))
END
    conehull verify noisy.npy "forged_$1"
}
forge certificate 'r["certificate"]["gap"] = 0.5'
forge null_certificate 'r["certificate"]["gap"] = None'
forge unproven 'r["unproven"] = 1'
forge loss 'r["loss"] = "l2"'
forge loss_setting 'r["settings"]["loss"] = r["loss"] = "l2"; r["settings"]["beta"] = 1.0'
forge method 'r["method"] = "spa"'
forge rank 'r["rank"] = 4'
forge requested 'r["requested"] = 6'
forge status 'r["status"] = "complete"'
forge nnz 'r["nnz"] += 1'
forge null_nnz 'r["nnz"] = None'
forge shape 'r["shape"][0] = 31'
forge residual 'r["max_residual"][2] /= 2'
forge null_residual 'r["max_residual"][2] = None'
forge last_residual 'r["max_residual"][-1] = None'
forge null_objective 'r["objective"] = None'
forge anchor 'r["anchors"][0] = 0.5'
forge floor 'r["floor"] = 0.25'
forge seed 'r["settings"]["seed"] = r["seed"] = 1'
forge exterior 'r["settings"]["exterior"] = "rand"'
forge tolerance 'r["settings"]["tol"] = True'
forge keep 'r["keep"] = [3]'
forge extra 'r["dual_paper"] = {"checked": 3, "valid": 3}'
for loss in kl "kl --reverse" is beta:0.5 logistic; do
    conehull anchors shares.npy -r 4 -o divergence --loss $loss >/dev/null || continue
    conehull verify shares.npy divergence >/dev/null && echo "$loss: holds"
    "$PYTHON" - <<'END'
import json
r = json.load(open("divergence/result.json"))
r["floor"] *= 2
json.dump(r, open("divergence/result.json", "w"))
END
    conehull verify shares.npy divergence >/dev/null || echo "$loss: another floor, refused"
done
broken() {
    conehull verify noisy.npy "$1" --json
    echo "code $?" >&2
}
cp -r good no_json && rm no_json/result.json && broken no_json
cp -r good no_H && rm no_H/H.npy && broken no_H
cp -r good half_json && head -c 40 good/result.json >half_json/result.json && broken half_json
cp -r good half_npz && head -c 300 good/certificate.npz >half_npz/certificate.npz && broken half_npz
cp -r good words && echo many >words/anchors.txt && broken words
broken missing
conehull anchors noisy.npy -r 5 -o only --select-only >/dev/null && broken only
broken noisy.npy
conehull verify part.npy good
echo "code $?" >&2
conehull verify noisy.npy good --transpose
echo "code $?" >&2
