"""pandas' and SciPy's readers as the other side of a ratio of `conehull bench` (python_peer.h).

Words: a table (.csv), a sparse matrix (.mtx.gz). Answers each line, `csv` or `mtx`, with: seconds by the clock, of
processors, rows, columns. The table is read by pandas' C reader; the matrix by SciPy."""
import sys
import time

try:
    import pandas
    import scipy.io
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


def main(table, matrix):
    print("ready", pandas.__version__, flush=True)
    for line in sys.stdin:
        start = time.perf_counter(), time.process_time()
        read = pandas.read_csv(table, header=None) if line.strip() == "csv" else scipy.io.mmread(matrix)
        wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        print(wall, processor, *read.shape, flush=True)


main(*sys.argv[1:])
