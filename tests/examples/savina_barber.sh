if heavy; then
    run 200 10
    prints <<END
200 haircuts
END
else
    run
    prints <<END
5000 haircuts
END
fi
run x
exits 2
grep -q '^usage: ' err
