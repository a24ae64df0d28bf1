# Raw text to counts: folder and lines agree, options, faults with file and place.
"$PYTHON" "$CASES/make_corpus.py" || exit
conehull text texts -o counts
echo "= $?"
ls counts
head -3 counts/terms.txt
head -3 counts/names.txt
tail -1 counts/names.txt
conehull text lines.txt -o lines --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["shape"], r["words"], r["dropped_terms"], r["empty_documents"], sorted(r["seconds"]))'
cmp counts/counts.mtx lines/counts.mtx
cmp counts/terms.txt lines/terms.txt
head -2 lines/names.txt
conehull text lines.txt -o few --stop-words english --min-df 40 --max-terms 5 && cat few/terms.txt
conehull text holes.txt -o holes
conehull text latin.txt -o latin --encoding latin1 && grep caf latin/terms.txt
# Faults.
mkdir empty
for file in latin.txt binary.txt utf16.txt missing.txt empty; do
    conehull text $file -o out
    echo "= $?" >&2
done
cp counts/counts.mtx texts.mtx
conehull text texts.mtx -o out
echo "= $?" >&2
conehull text lines.txt
echo "= $?" >&2
conehull text lines.txt -o out --max-df 0.001
echo "= $?" >&2
conehull text lines.txt -o out --stop-words missing.txt
echo "= $?" >&2
[ -e out ] && echo "out is there"
# Results among the texts would be documents of the next run.
ln -s texts link
conehull text texts -o texts
echo "= $?" >&2
conehull text link/ -o ./texts/out/
echo "= $?" >&2
conehull text texts -o link/more
echo "= $?" >&2
conehull topics texts -r 3 -o texts/out
echo "= $?" >&2
conehull exemplars texts/more/.. -r 3 -o texts/more
echo "= $?" >&2
ls -A texts/more | grep -v 'txt$'
conehull text texts/more -o texts/counts >/dev/null # beside, not inside
echo "= $?" >&2
# No command but stream and live reads standard input.
conehull text - -o out
echo "= $?" >&2
conehull text lines.txt -o out --stop-words -
echo "= $?" >&2
conehull topics - -r 3
echo "= $?" >&2
conehull topics counts/counts.mtx --terms - -r 3
echo "= $?" >&2
conehull exemplars - -r 3
echo "= $?" >&2
conehull exemplars counts/counts.mtx -r 3 --labels -
echo "= $?" >&2
conehull verify counts/counts.mtx -
echo "= $?" >&2
conehull project counts/counts.mtx - -o out
echo "= $?" >&2
# A link to a text of the folder is that text; one that leads out of it is not followed.
mkdir linked
echo "one two" >linked/a.txt
ln -s a.txt linked/b.txt
conehull text linked -o inside
echo "= $?" >&2
ln -s /etc/passwd linked/c.txt
conehull text linked -o outside
echo "= $?" >&2
exit 0
