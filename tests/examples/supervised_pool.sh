# Jobs that make workers fail, with few workers and with many; and what wrong use gets.
run
prints <<END
90 jobs done, 10 workers failed and were started again, sum 9000
END
run 1 20
prints <<END
18 jobs done, 2 workers failed and were started again, sum 360
END
run 64 1000
prints <<END
900 jobs done, 100 workers failed and were started again, sum 900000
END
run 0
exits 2
grep -q '^usage: supervised_pool' err
