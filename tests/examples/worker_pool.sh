# Jobs that fail at first; one that always does; and what wrong use gets.
run
prints <<END
100 jobs done, 0 twice, 0 lost; 14 workers failed and were started again
END
run bad
exits 0
grep -q '^given up when 2[0-9] workers had failed, .* no job done twice$' out
run good
exits 2
grep -q '^usage: worker_pool' err
