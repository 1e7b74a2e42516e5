if heavy; then
    run 20000
    prints <<END
20000 numbers, 0 out of order
END
else
    run
    prints <<END
500000 numbers, 0 out of order
END
fi
run x
exits 2
grep -q '^usage: ' err
