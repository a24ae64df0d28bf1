# Clips and masks that cannot be used: a message that says why, the right code, and no folder.
conehull info --json | grep -q '"video": null' && exit 77
"$PYTHON" "$CASES/make_inputs.py" film || exit
try() {
    conehull video "$@" -o out --quiet
    echo "code $?" >&2
    [ ! -e out ] || echo "out was left behind" >&2
}
echo 'root:x:0:0:root:/root:/bin/sh, again and again' >words.mp4
mkdir empty odd others none two
cp film/000.ppm film/001.ppm odd
"$PYTHON" - <<'PYTHON'
def write(path, width, height, value=255):
    open(path, "wb").write(b"P5\n%d %d\n255\n" % (width, height) + bytes([value]) * (width * height))
write("odd/002.pgm", 20, 10)
write("others/005.pgm", 20, 10)
write("two/005.pgm", 48, 36)
write("two/0015.pgm", 20, 10)
write("none/500.pgm", 48, 36)
write("none/600.pgm", 48, 36)
write("region.pgm", 10, 10)
write("black.pgm", 48, 36, 0)
head = open("film/000.ppm", "rb").read()
open("cut.ppm", "wb").write(head[:40])
PYTHON
try words.mp4
try missing.mp4
try cut.ppm
try empty
try odd
try film --from 60
try film --truth nowhere
try film --truth empty
try film --truth none
try film --truth others
try film --truth two
try film --roi 40,0,20,10
try film --roi 4,0,20
try film --watch region.pgm
try film --watch black.pgm
try film --watch missing.png
try film --ignore foo
try film --ignore '0,0 48,0'
try film --ignore '0,0 48,0 48,36 0,36'
try film --ignore '0,0 99999999999,0 0,5'
try film --busy 0-59
try film -r 61
try film -r 61 --method robust-nmf
try film --busy 9-3
try film --memory 100K
try film --gray --method rpca --memory 50M
try film --truth truth --memory 50M
try film --model words.mp4
