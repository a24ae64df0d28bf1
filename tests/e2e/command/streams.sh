# A stdout that cannot be written is an error with code 3, whatever the reason.
conehull info >/dev/full
echo "full: $?" >&2
conehull info >&-
echo "closed: $?" >&2
{
    sleep 0.2 # the reader is gone
    conehull info
    echo "pipe: $?" >&2
} | true
