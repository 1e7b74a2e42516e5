# All leaves are there; one that fails ends all others, at once.
if heavy; then
    run 5 3
    prints <<END
243 leaves
END
else
    run
    prints <<END
59049 leaves
END
fi
run 5 3 77
prints <<END
failed: -100; no other leaf went on
END
run 3 0
exits 2
grep -q '^usage: tree' err
