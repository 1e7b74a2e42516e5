if heavy; then
    run 10 50
    prints <<END
500 pings, 500 pongs
END
else
    run
    prints <<END
240000 pings, 240000 pongs
END
fi
run x
exits 2
grep -q '^usage: ' err
