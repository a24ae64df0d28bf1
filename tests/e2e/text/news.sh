# Text as people have it: news posts in a folder per group, without suffix, in Latin 1, with headers and
# quotations; tables with a column of texts; stems and pairs.
"$PYTHON" - <<'PY'
import gzip, json, os, random
random.seed(5)
groups = {"sci.space": "orbit shuttle moon rocket launch satellite lunar mission".split(),
          "rec.food": "recipe oven garlic pepper sauce café flavour dish".split(),
          "talk.politics": "senate vote election congress law tax policy party".split()}
rows = []
for group, words in groups.items():
    os.makedirs(f"news/{group}")
    for number in range(12):
        body = "\n".join(" ".join(random.choices(words, k=8)) for _ in range(3))
        post = (f"From: someone{number}@nowhere.edu (A. Writer)\nSubject: Re: {words[0]}\n"
                f"Organization: Institute of Headers\n\tcontinued\nLines: 9\n\n"
                f"In article <1993{number}@nowhere.edu> other@nowhere.edu (B. Writer) writes:\n"
                f"> quoted nonsense here\n>> deeper nonsense\nBW> more nonsense\n{body}\n--\nSignature Nonsense\n")
        with open(f"news/{group}/{49960 + number}", "wb") as file:
            file.write(post.encode("latin-1"))
        rows.append((group, f"{group} {number}", body))
def quote(text):
    return '"' + text.replace('"', '""') + '"'
with open("posts.csv", "w", encoding="utf-8") as file:
    file.write("group,title,body\n")
    for group, name, body in rows:
        file.write(f'{group},{quote(name)},{quote(body + chr(10) + "the " + chr(34) + "end" + chr(34))}\n')
with gzip.open("posts.tsv.gz", "wt", encoding="utf-8") as file:
    file.write("group\tbody\n")
    file.writelines(f"{group}\t{' '.join(body.split())} the \"end\"\n" for group, _, body in rows)
with open("posts.jsonl", "w", encoding="utf-8") as file:
    for k, (group, name, body) in enumerate(rows):
        file.write(json.dumps({"id": k, "more": {"body": [1, "}"]}, "group": group, "title": name, "body": body + ' the "end"'},
                              ensure_ascii=k % 2 == 0) + "\n")
open("broken.csv", "w").write('a,b\n1,"never ends\n')
open("short.csv", "w").write("a,b\n1,2\n3\n")
open("broken.jsonl", "w").write('{"body": "fine"}\n{"body": "no end\n')
open("keyless.jsonl", "w").write('{"body": "fine"}\n{"text": "other"}\n')
os.makedirs("flat/one")
for name in ("one/1", "2"):
    open(f"flat/{name}", "w").write("apple pear plum\n")
os.makedirs("pictures")
for name in ("1.png", "2.png", "README"):
    open(f"pictures/{name}", "w").write("not a text\n")
PY
# 20 Newsgroups' own layout in one command
conehull exemplars news -r 3,6 --labels folders --mail --encoding auto --splits 2 --json --quiet | "$PYTHON" -c '
import json, sys
found = json.load(sys.stdin)
print(found["kind"], found["shape"], sorted(set(found["labels"])), found["accuracy"]["6"]["mean"])
print(sorted({name.split("/")[0] for name in found["names"]}), "nonsense" in str(found["terms"]), "caf" in found["excerpts"][0] or len(found["excerpts"][0]) > 99)'
conehull text news -o plain --encoding auto --quiet
conehull text news -o counts --mail --encoding auto --json --quiet | sed -E 's/"read": [0-9.e-]+/"read": S/'
ls counts; cat counts/terms.txt | tr '\n' ' '; echo; sort counts/labels.txt | uniq -c; sed -n 1,2p counts/names.txt
grep -cE 'nonsense|organization|writes|signature' plain/terms.txt
# the same texts as tables
for table in posts.csv posts.tsv.gz posts.jsonl; do
    conehull text $table --text-column body --label-column group -o table --quiet > /dev/null
    echo "$table $(wc -l < table/terms.txt) terms $(wc -l < table/labels.txt) labels $(head -1 table/names.txt)"
done
sort counts/labels.txt | cmp - <(sort table/labels.txt) && echo same labels
conehull text posts.csv --text-column 3 --name-column title -o table --quiet > /dev/null; head -1 table/names.txt; ls table
conehull exemplars posts.jsonl --text-column body --labels column:group -r 6 --splits 2 --json --quiet | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["accuracy"]["6"]["mean"])'
# stems, pairs
printf 'running runners ran in New York\nNew York houses and housing\n' > small.txt
conehull text small.txt -o small --bigrams --stop-words english --quiet > /dev/null; tr '\n' ' ' < small/terms.txt; echo
conehull text small.txt -o small --stem english --quiet > /dev/null && tr '\n' ' ' < small/terms.txt; echo
# errors
conehull text small.txt -o small --stem klingon
conehull text small.txt -o small --mail
conehull text small.txt -o small --text-column body
conehull text posts.csv -o small
conehull text posts.csv -o small --text-column nothing
conehull text broken.csv -o small --text-column b
conehull text short.csv -o small --text-column b
conehull text broken.jsonl -o small --text-column body
conehull text keyless.jsonl -o small --text-column body
conehull text news -o small
conehull exemplars flat -r 1 --labels folders
conehull exemplars small.txt -r 1 --labels column:group
conehull text pictures -o small && cat small/names.txt
# tables whose column of texts is not named, semicolons, labels, stop words, what else lies in a folder
tr ',' ';' < posts.csv > semicolons.csv
conehull text semicolons.csv --text-column body --label-column group -o semicolons
sort counts/labels.txt | cmp - <(sort semicolons/labels.txt) && echo same labels
conehull topics posts.csv --text-column body -r 3 -o subjects --quiet > /dev/null
hints() {
    conehull "$@" --json > answer
    echo "= $?" >&2
}
hints topics posts.csv -r 3
hints topics posts.csv -r 3 --stop-words english
hints exemplars posts.jsonl -r 3
hints project posts.tsv.gz subjects -o sorted
hints project posts.csv missing -o sorted
hints exemplars posts.csv --text-column body --labels group -r 3
hints exemplars posts.csv --text-column body --labels group --label-column group -r 3
hints exemplars posts.csv --text-column body --label-column group -r 3 --splits 2 --quiet
hints exemplars posts.csv --text-column body -r auto
printf 'number,stars\n1,5\n2,4\n' > numbers.csv
hints topics numbers.csv --text-column stars -r 2
hints topics counts/counts.mtx -r 3
mkdir mixed
printf 'the cat and the dog of the house\n' > mixed/1.txt
printf 'the dog is in the garden with a cat\n' > mixed/2.txt
: > mixed/3.txt
printf 'not read\n' > mixed/notes.doc
hints exemplars mixed -r 1
hints exemplars mixed -r 1 --stop-words none --quiet
hints topics posts.csv --text-column body -r 2 -o mixed
cp -r subjects other
hints exemplars posts.csv --text-column body -r 2 -o other
hints exemplars posts.csv --text-column body -r 2 -o other
