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
