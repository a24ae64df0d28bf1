# Words that mean nothing: code 2, the nearest known word, and where to look.
try() {
    conehull "$@"
    echo "code $?" >&2
}
try inof
try anchor
try --hlep
try help nothing-like-it
try info --jsno
try info extra
try info -z
try info --json=yes
try info "$(printf 'caf\351.npy')"
# Options of other commands: which these are.
try exemplars letters -r 3 --ignore foo
try info --loss l1
try stream X.npy -r 2 --truth=masks
