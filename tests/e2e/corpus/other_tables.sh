# Tables in another encoding than UTF-8, JSON lines with missing keys, JSON that is no list of lines.
printf 'Nr;\334berschrift;Wortlaut\n1;\304pfel;s\374\337e Fr\374chte\n2;\200uro;Fr\374chte hier\n3;;Fr\374chte\n' >latin.csv
printf '\303\234berschrift,Wortlaut\nbeide,s\303\274\303\237\nhalb,Fr\374chte\n' >mixed.csv
for encoding in auto latin1; do
    conehull text latin.csv --text-column Wortlaut --name-column Überschrift --encoding $encoding -o out >/dev/null
    cat out/names.txt out/terms.txt
done
conehull text mixed.csv --text-column Wortlaut --name-column Überschrift --encoding auto -o out >/dev/null
cat out/names.txt out/terms.txt
conehull text latin.csv --text-column Wortlaut --name-column Überschrift -o out
echo "== JSON"
printf '{"text":"apple pear","id":"a"}\n{"id":"b"}\n{"text":null,"id":null}\n{"text":"apple plum"}\n' >lines.jsonl
conehull text lines.jsonl --text-column text --name-column id -o out
cat out/names.txt
conehull text lines.jsonl --text-column txt -o out
conehull text lines.jsonl --text-column text --label-column id -o out
echo '[{"text":"apple"}]' >array.json
conehull topics array.json --text-column text -r 2
