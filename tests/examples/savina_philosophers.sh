if heavy; then
    run 5 50
    prints <<END
250 meals, 0 with a fork of somebody else
END
else
    run
    prints <<END
20000 meals, 0 with a fork of somebody else
END
fi
run x
exits 2
grep -q '^usage: ' err
