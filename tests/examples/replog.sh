# Over loopback, and simulated: no seed breaks an invariant. A search finds the planted bug, and its
# seed shows it again, byte for byte.
if sweeping; then
    run --seed 3
    return 0
fi
run
exits 0
grep -q '^20 entries acknowledged' out
run --seed 3 --trace
exits 0
cp out first
cp err trace
run --seed 3 --trace
cmp out first
cmp err trace
seeds=20
heavy || seeds=300
run --search $seeds
prints <<END
$seeds seeds: nothing wrong
END
run --search 300 --bug
exits 1
seed=$(sed -n 's/^seed \([0-9]*\): .*/\1/p' out)
wrong=$(sed 's/^seed [0-9]*: //' out)
for i in 1 2; do
    run --seed "$seed" --bug
    exits 1
    [ "$(cat err)" = "replog: $wrong" ]
done
run --seed "$seed"
exits 0
run --seed
exits 2
for seed in 5abc -1 0 ' 1' 99999999999999999999; do
    run --seed "$seed"
    exits 2
    grep -q '^usage: replog' err
done
