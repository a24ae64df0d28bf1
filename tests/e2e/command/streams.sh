# A stdout that cannot be written is an error with code 3, whatever the reason.
conehull info >/dev/full
echo "full: $?" >&2
conehull info >&-
echo "closed: $?" >&2
mkfifo pipe
exec 3<>pipe 4>pipe 3<&- # the reader is gone
conehull info >&4
echo "pipe: $?" >&2
