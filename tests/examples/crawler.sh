# The same seed makes the same run, byte for byte; others make others, and all find the same pages:
# it checks that itself. With a deadline it stops there. And what wrong use gets.
if sweeping; then # what is found differs when a page costs a task its memory
    run 7
    run 7 150
    return 0
fi
run 7
exits 0
cp out first
run 7
cmp out first
pages() { grep -E 'fetched$' "$1" | cut -d' ' -f2- | sed 's/^.*host/host/' | sort; }
pages first >found
[ "$(wc -l <found)" -gt 20 ]
seeds='1 2 3'
heavy || seeds=$(seq 1 200)
for seed in $seeds; do
    run "$seed"
    exits 0
    tail -n 1 out | grep -q ' 0 left, .* not seen'
    pages out | sed 's/  [0-9]*: fetched//' >others
    sed 's/  [0-9]*: fetched//' found | cmp - others
    ! cmp -s out first || [ "$seed" = 7 ]
done
run 7 150
exits 0
grep -q '^stopped at the deadline' out
grep -q ' [1-9][0-9]* left,' out
cp out first
run 7 150
cmp out first
run 7 0
exits 2
grep -q '^usage: crawler' err
