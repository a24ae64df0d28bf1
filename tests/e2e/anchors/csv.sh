# Tables as text: what is skipped is said on stderr, not with --quiet; what might be data is refused.
table() {
    printf "$2" >"$1"
    conehull anchors "$1" -r 2 --method spa --json |
        sed -E 's/.*"shape": (\[[^]]*\]).*/\1/'
}
table plain.csv '1,2,3\n4,5,6\n7,8,1\n'
table header.csv 'x,y,z\n1,2,3\n4,5,6\n7,8,1\n'
table names.csv 'a,1,2\nb,4,5\nc,7,1\n'
table pandas.csv ',0,1,2\n0,1,2,3\n1,4,5,6\n2,7,8,1\n'
table numbered.csv '0,1,2\n4,5,6\n7,8,1\n'
table years.csv 'land,2019,2020,2021\nDE,1,2,3\nFR,4,5,6\n'
table waves.csv '.1,.2,.3,.4\n4,5,6,1\n7,8,1,1\n'
table savetxt.csv '1.5 2 3\n4 5 6\n7 8 1\n'
for file in pandas.csv plain.csv; do
    conehull anchors $file -r 2 --method spa --quiet --json |
        "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["note"])'
done
table na.csv 'NA,2,3\n4,5,6\n7,8,1\n'
table below.csv '<1,2,3\n4,5,6\n7,8,1\n'
table inner.csv '1,NA,3\n4,5,6\n7,8,1\n'
table corner.csv ',2,3\n4,5,6\n7,8,1\n'
table empty.csv '1,2,3\n4,,6\n'
table money.csv '$1.5,2\n2,1\n3,4\n'
table comma.csv '1,5;2,5\n3;4\n'
table X.txt '1,2\n3,4\n'
# One list of formats: what info lists, help names.
conehull anchors --help-all >help
for format in $(conehull info | sed -n 's/^formats//p'); do
    grep -Eq "[.]$format( |,|;|\$)" help || echo "not in help: $format"
done
