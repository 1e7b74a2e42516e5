if heavy; then
    run 5 4 300
    prints <<END
1500 put, 1500 got
END
else
    run
    prints <<END
100000 put, 100000 got
END
fi
run x
exits 2
grep -q '^usage: ' err
