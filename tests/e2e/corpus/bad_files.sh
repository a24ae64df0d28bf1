# Folders with files that are no text: all are named in one run, and --skip-bad leaves them out.
mkdir -p notes/sub
for k in 1 2 3 4 5; do echo "apple pear plum cherry number$k" >notes/$k.txt; done
conehull text notes -o good >/dev/null
ln -s nowhere.txt notes/broken.txt
printf '\377\330\377\340\000\020JFIF' >notes/photo.txt
printf 'banana\nabc\000def' >notes/zero.txt
printf 'banana caf\351\n' >notes/latin.txt
conehull text notes -o out
echo "code $?"
ln -s ../good/terms.txt notes/elsewhere.txt
conehull text notes -o out --skip-bad
echo "code $?"
for file in counts.mtx terms.txt names.txt; do cmp good/$file out/$file; done
conehull topics notes -r 2 --min-df 1 --max-df 1 --skip-bad --json --quiet | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["shape"], [line.split(":")[0] for line in r["bad_files"]])'
echo "== one"
mkdir one
cp notes/1.txt notes/photo.txt one
conehull text one -o out
conehull text one -o out --encoding auto
echo "== many"
for k in $(seq 20); do printf '\376\377' >one/utf16-$k.txt; done
conehull text one -o out
echo "== none left"
rm one/1.txt
conehull text one -o out --skip-bad 2>&1 | head -1
