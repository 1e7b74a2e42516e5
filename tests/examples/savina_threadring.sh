if heavy; then
    run 50 3000
    prints <<END
after 3000 hops task 0 has it
END
else
    run
    prints <<END
after 1000000 hops task 36 has it
END
fi
run x
exits 2
grep -q '^usage: ' err
