# Equal to what the classic pipeline gives, over the machine's licences and over files given by
# name.
reference()
{
    cat "$@" | LC_ALL=C tr -cs 'A-Za-z' '\n' | LC_ALL=C tr A-Z a-z | grep . | LC_ALL=C sort |
        uniq -c |
        LC_ALL=C sort -k1,1nr -k2 | head -n 10 | awk '{ printf "%7d %s\n", $1, $2 }'
}
if ! heavy; then
    run
    reference /usr/share/common-licenses/* | prints
    grep -q '^read /usr/share/common-licenses/' err
fi
{ printf 'One fish, two fish;\nred'; } >first
{ printf 'fish\n\n'; head -c 5000 /dev/zero | tr '\0' x; echo ' one'; } >second
: >empty
run first empty second
{ reference first; } >/dev/null
{ cat first; echo; cat second; } >joined
reference joined | prints
run first missing
exits 1
grep -q missing err
