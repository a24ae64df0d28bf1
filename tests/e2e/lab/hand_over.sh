# reproduce and bench are commands of conehull-lab: conehull starts it, and says what to install where it is not beside it.
program=$(readlink -f "$(command -v conehull)")
lab=$(dirname "$program")/conehull-lab
for command in reproduce bench; do
    conehull $command --help | diff - <("$lab" $command --help) && echo same
    conehull help $command | diff - <(conehull $command --help) && echo same
    summary=$(conehull --help | grep "^  $command ")
    "$lab" --help | grep -qxF "$summary" && echo "$summary"
done
"$lab" --version
"$lab" anchors X.npy -r 2
echo "= $?"
# Words, exit code and signals go through; -- and what is not UTF-8 are looked at there.
conehull bench $'\xff'
echo "= $?"
mkdir alone && cp "$program" alone/conehull
for words in 'bench select_over_read' 'reproduce --help' 'help bench'; do
    alone/conehull $words
    echo "= $?"
done
alone/conehull --help | diff - <(conehull --help) && echo same
touch alone/conehull-lab && chmod +x alone/conehull-lab
alone/conehull bench
echo "= $?"
