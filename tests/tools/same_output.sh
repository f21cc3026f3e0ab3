#!/bin/sh
# Whether two builds of Harp say the same, to the byte.
#
#     tests/tools/same_output.sh OLD NEW [FOLDER…]
#
# OLD and NEW are programs. Each FOLDER holds packages, a folder each; the programs of the tests are always compared. For each, `check --format json --verbose`,
# `check --verbose`, `infer --format json` and `facts` run with one thread, and the relations of `facts` are compared file by file. Prints what differs, and then how many outputs were compared; with
# CALLGRIND=1 also the instructions of both on the first two packages (needs valgrind). The exit code is 1 where something differs.
set -eu
old=$(realpath "$1")
new=$(realpath "$2")
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0
different=0

# Runs both on the same input, and compares exit codes and everything that was said.
compare() {
    name=$1
    shift
    for side in old new; do
        eval "program=\$$side"
        code=0
        "$program" "$@" >"$work/$side.out" 2>"$work/$side.err" || code=$?
        echo "exit code $code" >>"$work/$side.err"
    done
    compared=$((compared + 1))
    if ! cmp -s "$work/old.out" "$work/new.out" || ! cmp -s "$work/old.err" "$work/new.err"; then
        different=$((different + 1))
        echo "different: $name: $*"
        diff "$work/old.out" "$work/new.out" | head -n 5 || true
        diff "$work/old.err" "$work/new.err" | head -n 5 || true
    fi
}

# The facts are files.
compare_facts() {
    for side in old new; do
        eval "program=\$$side"
        rm -rf "$work/facts-$side"
        "$program" facts --threads 1 --output "$work/facts-$side" "$2" >/dev/null 2>&1 || true
    done
    compared=$((compared + 1))
    if ! diff -rq "$work/facts-old" "$work/facts-new" >"$work/said"; then
        different=$((different + 1))
        echo "different: $1: facts"
        head -n 5 "$work/said"
    fi
}

one() {
    cd "$(dirname "$2")"
    path=$(basename "$2")
    compare "$1" check --format json --verbose --threads 1 "$path"
    compare "$1" check --verbose --threads 1 "$path"
    compare "$1" infer --format json --threads 1 "$path"
    compare_facts "$1" "$path"
    cd "$root"
}

one programs "$root/tests/data/programs"
one digits "$root/examples/digits"
for folder in "$@"; do
    for package in "$folder"/*/; do
        one "$(basename "$package")" "$(realpath "$package")"
    done
done

if [ -n "${CALLGRIND:-}" ]; then
    count=0
    for folder in "$@"; do
        for package in "$folder"/*/; do
            [ $count -lt 2 ] || break
            count=$((count + 1))
            for side in old new; do
                eval "program=\$$side"
                valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" check --format json --threads 1 "$package" 2>&1 >/dev/null |
                    sed -n "s/.*Collected : \([0-9]*\).*/$(basename "$package") $side: \1 instructions/p"
            done
        done
    done
fi
echo "$compared outputs compared, $different different"
[ $different -eq 0 ]
