if heavy; then
    run 500
    prints <<END
500 tasks took 26143 steps
END
else
    run
    prints <<END
40000 tasks took 3932593 steps
END
fi
run x
exits 2
grep -q '^usage: ' err
