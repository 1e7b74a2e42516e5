if heavy; then
    run 3000
    prints <<END
the sum to 3000 is 4501500
END
else
    run
    prints <<END
the sum to 1000000 is 500000500000
END
fi
run x
exits 2
grep -q '^usage: ' err
