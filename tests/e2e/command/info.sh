# info: one line or one key per fact; a core type that the user chose is left alone.
conehull info
conehull info --json |
    "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(list(r), r["threads"] > 0, r["mpi"])'
OPENBLAS_CORETYPE=Prescott conehull info | grep -Eq '^BLAS +(OpenBLAS .*Prescott|[^O])' && echo "the user's choice"
