if heavy; then
    run 6
    prints <<END
6 queens: 4 ways
END
else
    run
    prints <<END
9 queens: 352 ways
END
fi
run x
exits 2
grep -q '^usage: ' err
