if heavy; then
    run 3000
    prints <<END
430 primes below 3000, the last is 2999
END
else
    run
    prints <<END
5133 primes below 50000, the last is 49999
END
fi
run x
exits 2
grep -q '^usage: ' err
