# settings.sh - what the drivers need to know of the build, and what they share. Sourced. ctest sets
# all of it; by hand, from anywhere in the tree, the build in build/ is taken.
co4_root=$(cd "$(dirname "$0")/../.." && pwd)
co4_folders="weaver runtime tls nats http websocket prof" # with the C of the tool and the libraries
: "${CO4WEAVE:=$co4_root/build/bin/co4weave}"
: "${CO4_INCLUDE:=$co4_root/include}"
: "${CO4_LIBRARY:=$co4_root/build/lib/libco4.a}"
: "${CO4_TEST_CC:=cc}"
: "${CO4_TEST_CFLAGS:=-O1}"
: "${CO4_TEST_LIBS:=-pthread -lm}"
: "${CO4_TEST_UNDER:=}" # what runs programs for another target
: "${CO4_TEST_STRIP:=}" # for links of programs that no debugger sees
: "${CO4_TEST_LACKS:=}" # what that target has not, as in `needs:`
export CO4WEAVE CO4_INCLUDE CO4_LIBRARY CO4_TEST_CC CO4_TEST_CFLAGS CO4_TEST_LIBS

work_in() # work_in NAME: $work, a folder of its own until the driver ends; CO4_TEST_KEEP=1 keeps it
{
    work=$(mktemp -d "${TMPDIR:-/tmp}/co4-$1.XXXXXX") || exit 1
    [ "${CO4_TEST_KEEP:-}" ] && echo "kept: $work" || trap 'rm -rf "$work"' EXIT INT TERM
}

committed() # committed FOLDER: a repository with a commit of the tree's files as they are now
{
    (cd "$co4_root" && git ls-files -co --exclude-standard) >"$1.files" 2>/dev/null || return 1
    mkdir "$1"
    tar -c -C "$co4_root" --ignore-failed-read -T "$1.files" 2>/dev/null | tar -x -C "$1"
    export GIT_AUTHOR_NAME=co4 GIT_AUTHOR_EMAIL=co4@example.org GIT_CONFIG_NOSYSTEM=1 \
        GIT_COMMITTER_NAME=co4 GIT_COMMITTER_EMAIL=co4@example.org GIT_CONFIG_GLOBAL=/dev/null
    git -C "$1" init -q -b main && git -C "$1" add -A && git -C "$1" commit -q -m "the tree"
}

read_program() # read_program FILE.c|FOLDER: $name, $sources, and $head_file with the head comment
{
    name=$(basename "$1" .c)
    head_file=$1 sources=$1
    [ ! -d "$1" ] || { head_file=$1/main.c; sources=$(ls "$1"/*.c); }
}

# chosen_modes NAME MODE...: those that CO4_TEST_MODES chooses for a program, or all; `forced/10`
# there is for one program in ten, by its name and CO4_TEST_TENTH
chosen_modes()
{
    number=$(number_of "$1")
    shift
    chosen=
    for mode in "$@"; do
        wanted=${CO4_TEST_MODES:-$mode}
        share=${wanted#*"$mode/"}
        case " $wanted " in
        *" $mode "*) chosen="$chosen $mode" ;;
        *" $mode/"*) [ $((number % ${share%% *})) != $((${CO4_TEST_TENTH:-0} % ${share%% *})) ] ||
                chosen="$chosen $mode" ;;
        esac
    done
    echo "${chosen:-$*}"
}

number_of() # number_of NAME: one that a name always has
{
    printf %s "$(basename -- "$1" .c)" | cksum | cut -d' ' -f1
}

its_turn() # its_turn NAME: with CO4_TEST_TENTH=K, whether the name belongs to that tenth
{
    [ -z "${CO4_TEST_TENTH:-}" ] || [ $(($(number_of "$1") % 10)) = "$CO4_TEST_TENTH" ]
}

said() # said WORD: the head comment's values for a word, one a line
{
    sed -n "s|^ */\{0,1\}\* *$1: \{0,1\}||; t p; b e; :p; s| *\*/ *\$||; p; :e; /\*\//q" "$head_file"
}
