# Names and words of the data cannot steer a terminal: control characters and what is no UTF-8 are
# shown as ?. JSON and files hold them as they are.
red=$(printf '\033[31m')
printf '%sX\007\n' "$red" | conehull stream - -r 2 2>&1 | cat -v
cat >X.csv <<'END'
9,0,1,4,3
0,9,1,4,1
1,1,9,0,2
END
matrix="a${red}b
c.csv"
mv X.csv "$matrix"
conehull anchors "$matrix" -r 2 -o "out$red" | grep "csv\|written" | cat -v
conehull verify "$matrix" "gone$red" 2>&1 | cat -v
printf 'n%s\007%d\n' "$red" 1 "$red" 2 "$red" 3 "$red" 4 "$red" 5 >names.txt
printf 't%s\303\251\302\233%d\n' "$red" 1 "$red" 2 "$red" 3 >terms.txt
printf '%s\n' "l$red" "l$red" m m "l$red" >labels.txt
conehull exemplars "$matrix" -r 2 --names names.txt --terms terms.txt --labels labels.txt --splits 1 -o lists |
    grep 'a?\| n\|written' | cat -v
conehull topics "$matrix" -r 2 --terms terms.txt --names names.txt --min-df 1 --max-df 1 --start words --anchor-df 0 |
    grep "?" | cat -v
conehull exemplars "$matrix" -r 1 --names names.txt --json | grep -io '"n.u001b.31m.u0007[0-9]"'
"$PYTHON" -c "
import json
print(json.load(open('lists/result.json'))['names'])"
