if heavy; then
    run 10 500
    prints <<END
10 creatures were in 1000 meetings, 0 alone
END
else
    run
    prints <<END
100 creatures were in 200000 meetings, 0 alone
END
fi
run x
exits 2
grep -q '^usage: ' err
