if heavy; then
    run 64
    prints <<END
64 by 64: 0 wrong
END
else
    run
    prints <<END
256 by 256: 0 wrong
END
fi
run x
exits 2
grep -q '^usage: ' err
