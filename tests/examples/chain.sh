# Ten messages through ten thousand tasks on one thread; and what wrong use gets.
if heavy; then
    run 200 3
    prints <<END
3 messages through 200 tasks: 603
END
else
    run
    prints <<END
10 messages through 10000 tasks: 100045
END
fi
run 0
exits 2
grep -q '^usage: chain' err
