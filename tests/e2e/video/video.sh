# What people see of `conehull video`, the files it leaves, and the keys of its JSON.
conehull info --json | grep -q '"video": null' && exit 77
"$PYTHON" "$CASES/make_inputs.py" film || exit
conehull video film --truth truth -r 2 -o out
echo "= $?"
ls out
head -2 out/activity.csv
wc -l <out/activity.csv
conehull video film --truth truth -r 2 --method robust-xray,median -o both --json --quiet >both.json
conehull video film --truth truth -r 2 -o out --soft --json --quiet >one.json
ls out both
"$PYTHON" - <<'PYTHON'
import json
one, both, stored = (json.load(open(name)) for name in ("one.json", "both.json", "out/scores.json"))
contract = "method frames pixels rank auc f_measure best_f threshold".split()
seconds = "read separate score write report total".split()
for result in [one] + both["results"]:
    assert all(key in result for key in contract), result.keys()
    assert list(result["seconds"]) == seconds, result["seconds"]
    print(result["method"], result["frames"], result["pixels"], result["rank"])
assert one["auc"] > 0.99 and one["best_f"] > 0.95 and 0 < one["f_measure"] <= 1, one
assert both["results"][0]["auc"] == one["auc"] != both["results"][1]["auc"]
assert all(stored[key] == one[key] for key in contract)
assert len(stored["index"]) == len(stored["time"]) == len(stored["activity"]["share"]) == 60
assert "index" not in one and "roc" not in one
assert stored["truth"]["frames"] == [5, 15, 25, 35, 45, 55]
assert 0.4 < sum(stored["seconds"][key] for key in seconds[:5]) / stored["seconds"]["total"] <= 1.05
PYTHON
# --step keeps frames with a mask; masks outside are left out; gray on request.
conehull video film --truth truth -r 1 --from 4 --frames 20 --step 9 --gray -o some --json --quiet |
    "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["frames"], r["truth"]["frames"], r["input"]["colour"])'
"$PYTHON" -c 'import json; print(json.load(open("some/scores.json"))["index"])'
# A later run into the same folder leaves nothing of methods and options that are not its own, and touches no
# other file.
echo mine >both/mask-mine.mkv
conehull video film --method rpca,median --soft --frames 20 -o both --quiet >/dev/null
ls both
conehull video film -r 1 --frames 20 -o both --quiet >/dev/null
ls both
# Nothing moves at all: the background is the clip, whatever the rank.
mkdir still
for i in 0 1 2 3 4 5 6 7 8 9; do cp film/000.ppm still/$i.ppm; done
conehull video still -o still-out --quiet
echo "= $?"
conehull video still -r 3 -o still-out --method robust-xray,rpca,robust-nmf,robust-lowrank,median --json --quiet |
    "$PYTHON" -c 'import json, sys; print([[r["method"], r["active_frames"], r["status"]] for r in json.load(sys.stdin)["results"]])'
