# Files that other programs can read, and the same ones for the same seed.
conehull info --json | grep -q '"video": null' && exit 77
conehull demo --runs 1 --seed 3 --frames 40 -o first --quiet
ls first first/truth first/video
head -4 first/recovery.csv
wc -l <first/recovery.csv
conehull demo --runs 1 --seed 3 --frames 40 -o second --json --quiet | python3 -c 'import json, sys; print(*json.load(sys.stdin))'
cmp first/recovery.svg second/recovery.svg
cmp first/recovery.csv second/recovery.csv
cmp first/X.npy second/X.npy
cmp first/clip.mkv second/clip.mkv
cmp first/video/mask.mkv second/video/mask.mkv
conehull anchors first/X.npy -r 20 -o found >/dev/null
sort -n found/anchors.txt | cmp - <(sort -n first/planted.txt) && echo "the planted ones"
python3 - <<'PYTHON'
import re
import xml.etree.ElementTree as tree
picture = tree.parse("first/recovery.svg").getroot()
print(picture.tag, len(picture.findall(".//{http://www.w3.org/2000/svg}text")), "texts")
page = open("first/report.html", encoding="utf-8").read()
print("page with picture:", page.count("<svg"), "other files or addresses:", len(re.findall(r"(?:src|href)=[\"'](?!#|data:)", page)))
index = open("first/index.html", encoding="utf-8").read()
print("it leads to:", *re.findall(r'href="([^"]*)"', index))
PYTHON
conehull demo --runs 0
echo "code $?"
conehull demo -o missing/folder
echo "code $?"
