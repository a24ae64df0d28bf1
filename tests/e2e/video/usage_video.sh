# Wrong words after `conehull video`: code 2 and what to do.
try() {
    conehull video "$@"
    echo "code $?" >&2
}
try
try film
try film -o
try film -o out -r 0
try film -o out -r many
try film -o out --method robust-xrey
try film -o out --method rpca,rpca
try film -o out --method rpca,
try film -o out --method rpca --refit 1
try film -o out --lambda 0.3
try film -o out --radius 3 --method rpca
try film -o out -r 3 --method rpca,median
try film -o out --refit -1
try film -o out --lambda nan --method rpca
try film -o out --threshold -1
try film -o out --step 0
try film -o out --memory much
try film -o out --memory 4X
try film -o out --ignore a.png --watch b.png
try film -o out --save m.npz --method rpca
try film -o out --save m.npz --method robust-xray,median
try film -o out --save m.npz --method median --radius 3
try film -o out --save m.npz --model m.npz
try film -o out --model m.npz -r 2
try film -o out --model m.npz --method median
try film -o out --model m.npz --refit 2
try film -o missing/out
try film other -o out
try film -o out --foo
# Latin-1, which results in UTF-8 could not name.
try "$(printf 'caf\351.mp4')" -o out
try film -o "$(printf '\377')"
try film -o out --event-length soon
try film -o out --event-gap -1s
try film -o out --event-margin 3days
try film -o out --event-share 120%
try film -o out --cut
