if heavy; then
    run 20 500
    prints <<END
500 transfers, made or refused; 20000 in all accounts
END
else
    run
    prints <<END
50000 transfers, made or refused; 1000000 in all accounts
END
fi
run x
exits 2
grep -q '^usage: ' err
