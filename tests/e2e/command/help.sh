# Help for people: on request to stdout with code 0, without a command to stderr with code 2.
conehull --help
echo "= $?"
conehull help | diff - <(conehull --help) && echo same
conehull -h | diff - <(conehull --help) && echo same
conehull 2>&1 >/dev/null | diff - <(conehull --help) && echo same
conehull >/dev/null 2>&1
echo "= $?"
conehull --version
for command in anchors verify project video live reproduce bench info; do conehull $command --help-all; done
conehull help info | diff - <(conehull info --help) && echo same
# A terminal has 80 columns.
for command in $(conehull --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    conehull $command --help-all | awk -v of=$command 'length($0) > 80 { print of ": " $0 }'
done
# The short help fits on a screen, and does not use the notation of the paper.
for command in $(conehull --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    conehull $command --help | awk -v of=$command 'length($0) > 80 { print of ": " $0 } END { if (NR > 50) print of ": " NR " lines" }'
    conehull $command --help | grep -nE 'dual|u = -1|D\*' | sed "s/^/$command: /"
done
conehull anchors --help
