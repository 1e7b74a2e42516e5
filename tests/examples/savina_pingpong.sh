if heavy; then
    run 2000
    prints <<END
2000 pings, 2000 pongs
END
else
    run
    prints <<END
100000 pings, 100000 pongs
END
fi
run x
exits 2
grep -q '^usage: ' err
