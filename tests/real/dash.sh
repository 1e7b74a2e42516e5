#!/bin/sh
# dash.sh - a shell at its own work: expansion, jobs, traps, here documents, subshells.
#
#   dash.sh SHELL
#
# Prints the same with each build of the shell. Commands come from files and from standard input.
set -u
shell=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

part() # part NAME: runs the script on standard input from a file, then as a stream
{
    cat >"$1.sh"
    echo "== $1"
    "$shell" "$1.sh" one 'two words' three 2>&1
    echo "status $?"
    "$shell" -s one 'two words' three <"$1.sh" >stream 2>&1
    echo "stream $? $(cksum <stream)"
}

part expansion <<'S'
set -- "$@" four
echo "$#" "$*" "${1%e}" "${2#two }" "${2%% *}" "${5:-none}" "${#2}"
IFS=:; v=a:b:c; set -- $v; echo "$1-$2-$3 $*"
unset IFS; x='*'; echo "$x" "$((3 * (4 + 5) % 7)) $((1 << 10)) $((5 > 3 && 2 < 1))"
a=$(echo deep $(echo deeper $(echo deepest))); echo "$a"
echo "${missing:=set} $missing ${missing:+there}"
case abc in a?c) echo matched ;; *) echo not ;; esac
echo ~root/x a{b}c [z-a] "$(printf '%s-%d\n' s 42)"
S

part functions <<'S'
f() { local n=$1; if [ "$n" -le 1 ]; then echo 1; else echo $((n * $(f $((n - 1))))); fi; }
f 7
g() { for i in "$@"; do case $i in -*) return 3 ;; esac; echo "g $i"; done; }
g a b -c d; echo "returned $?"
i=0; while :; do i=$((i + 1)); [ $i = 3 ] && continue; [ $i -gt 5 ] && break; echo "i $i"; done
until [ $i -le 3 ]; do i=$((i - 1)); done; echo "i $i"
for a in 1 2 3; do for b in 1 2 3; do [ $b = 2 ] && continue 2; echo "$a$b"; done; done
eval 'h() { echo "h $1"; }'; h x; unset -f h; h x 2>/dev/null; echo "gone $?"
S

part redirection <<'S'
cat <<EOT | tr a-z A-Z
text with $((1 + 1)) and $(echo command)
EOT
cat <<'EOT'
text with $((1 + 1)) kept
EOT
echo out >f; echo more >>f; cat <f; { echo 1; echo 2 >&2; } 2>&1 | sort
exec 3<f; read -r one <&3; read -r two <&3; exec 3<&-; echo "$one/$two"
ls /does/not/exist 2>/dev/null || echo "status $?"
n=0; while read -r line; do n=$((n + 1)); done <<EOT
a
b
c
EOT
echo "lines $n"
seq 1 200 | while read -r k; do echo $((k * k)); done | tail -n 1
S

part jobs <<'S'
(exit 4); echo $?
sleep 0.05 & wait $!; echo "waited $?"
(sleep 0.02; exit 7) & p=$!; wait $p; echo "status $?"
trap 'echo trapped' USR1; kill -USR1 $$; echo after
trap 'echo leaving' EXIT
(trap 'echo inner' EXIT; exit 2); echo "sub $?"
a=1; (a=2; echo "$a"); echo "$a"
sh -c 'kill -TERM $$'; echo "killed $?"
echo a | false | true; echo $?
set -e; false || echo kept; (set +e; false; echo on)
S

part errors <<'S'
set -u
(echo "$nothing") 2>/dev/null; echo "unset $?"
readonly r=1; (r=2) 2>/dev/null; echo "readonly $?"
(. ./no_such_file) 2>/dev/null; echo "source $?"
command -v cd; type echo; umask 022; umask
test -d . -a ! -e nothing; echo $?; [ 3 -gt 2 ] && [ abc != abd ]; echo $?
printf '%5d|%-5s|%x|%c\n' 42 ab 255 z
alias ll='echo aliased'; eval ll; unalias ll
getopts ab:c o -b val; echo "$o $OPTARG"; exit 9
S

part long <<'S'
i=0; s=
while [ $i -lt 3000 ]; do s="$s$i,"; i=$((i + 1)); done; echo ${#s}
k=0; for w in $(seq 1 2000); do k=$((k + w)); done; echo $k
find() { :; }; n=0; while [ $n -lt 100 ]; do v=$(echo $n); n=$((v + 1)); done; echo $n
S
