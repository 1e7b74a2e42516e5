# Over loopback, and simulated: every seed finds all pages. A search finds the planted bug, and its
# seed shows it again.
if sweeping; then
    run --seed 3
    return 0
fi
run
prints <<END
30 pages, 0 requests again
END
run --seed 3
exits 0
cp out first
run --seed 3
cmp out first
seeds=20
heavy || seeds=300
run --search $seeds
prints <<END
$seeds seeds: nothing wrong
END
run --search 300 --bug
exits 1
seed=$(sed -n 's/^seed \([0-9]*\): .*/\1/p' out)
for i in 1 2; do
    run --seed "$seed" --bug
    exits 1
    grep -q ': a page was not found' err
done
run --seed "$seed"
exits 0
run --seed nothing
exits 2
grep -q '^usage: site_crawler' err
