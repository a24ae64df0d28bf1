# The clip, the frames and the truth are never the output: refused with 2 before any work.
mkdir d frames
"$PYTHON" -c '
for i in range(4):
    open(f"frames/{i:03}.pgm", "wb").write(b"P5 16 12 255\n" + bytes((7 * j + i) % 256 for j in range(192)))
'
cp frames/000.pgm d/mask.mkv
cp frames/001.pgm d/background.png
. "$CASES/keep"
keep d/mask.mkv video d/mask.mkv -o d
keep d/mask.mkv live d/mask.mkv -o d
ln -s d/mask.mkv clip.mkv
keep d/mask.mkv video clip.mkv -o d
keep frames/000.pgm video frames -o frames
keep frames/000.pgm live frames -o frames
keep frames/000.pgm video d/mask.mkv -o frames --truth frames
keep d/background.png video frames -o d --ignore d/background.png
keep frames/000.pgm video frames -o out --save frames/000.pgm
keep d/mask.mkv video frames -o out --save d/mask.mkv --truth d
mkdir linked
ln -s ../d/background.png linked/000.png
keep d/background.png video linked -o d
ls -A d frames
[ -e out ] && echo "out is there"
exit 0
