if heavy; then
    run 10
    prints <<END
fib(10) = 55
END
else
    run
    prints <<END
fib(22) = 17711
END
fi
run x
exits 2
grep -q '^usage: ' err
