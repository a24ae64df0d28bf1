# stream: the anchors of 'anchors' on exact data, from a file, from a pipe, in parts with a state.
"$PYTHON" "$CASES/make_inputs.py" formats || exit
"$PYTHON" -c '
import numpy as np
X = np.load("f64_c.npy")
np.save("first.npy", X[:, :25])
np.save("second.npy", X[:, 25:])
np.savetxt("lines", X.T)
np.savetxt("lines.csv", X.T, delimiter=",", header="a data point per line")'
answer() { "$PYTHON" -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line)
    print(r["anchors"], r["shape"], r["status"], r["stream"]["thinned"], r["stream"]["bound"] < 1e-12)'; }
sorted() { tr -d ' ' | sed 's/.*"anchors":\[\([^]]*\)\].*/\1/' | tr , '\n' | sort -n | tr '\n' ' '; echo; }
conehull anchors f64_c.npy -r 5 --json | sorted
conehull stream f64_c.npy -r 5 --json | sorted
conehull stream f64_c.npy -r 5 --json | answer
conehull stream u8.npy -r 5 --json --threads 1 | answer
conehull stream - -r 5 --json <lines.csv | answer
conehull stream - -r 7 --loss l2 --json <lines | answer
conehull stream - -r 5 --every 20 --json <lines | answer
conehull stream - -r 5 --every 25 <lines
echo "= state"
conehull stream first.npy -r 5 --state kept --quiet >/dev/null
conehull stream second.npy -r 5 --state kept -o out --json >answer
answer <answer
ls -A . out
conehull stream second.npy -r 5 --state kept --store 300
echo "code $?" >&2
conehull project f64_c.npy out -o weights
echo "= the state comes last: not there, when the folder fails"
mkdir -p taken/result.json
conehull stream first.npy -r 5 --state fresh -o taken
echo "code $?" >&2
ls -d fresh* 2>&1
echo "= too small a store"
conehull stream f64_c.npy -r 2 --store 4 | sed 's/rose to .*;/rose to .;/; s/within [^ ]*/within ./'
echo "code ${PIPESTATUS[0]}"
printf '1,2\n\n3;4 \n5 x\n' | conehull stream - -r 1
echo "code $?" >&2
printf '1,2\n3\n' | conehull stream - -r 1
echo "code $?" >&2
printf '1,2\n3,-4\n' | conehull stream - -r 1
echo "code $?" >&2
printf '1,2\n3,1\n1e300,1e300\n' | conehull stream - -r 1
echo "code $?" >&2
conehull stream - -r 1 </dev/null
echo "code $?" >&2
conehull stream f64_c.npy
echo "code $?" >&2
conehull stream f64_c.npy -r 200
echo "code $?" >&2
conehull stream f64_c.npy -r 3 --method smrs
echo "code $?" >&2
conehull stream missing.npy -r 3
echo "code $?" >&2
conehull stream f64_c.npy -r 3 --every 0
echo "code $?" >&2
echo no state >file
conehull stream f64_c.npy -r 3 --state file
echo "code $?" >&2
cat file
