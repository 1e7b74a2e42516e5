# A million tasks, fewer where every instruction is paid for; and what wrong use gets.
if heavy; then
    run 1000
    prints <<END
499500
END
else
    run
    prints <<END
499999500000
END
fi
run 1
prints <<END
0
END
run 12
exits 2
grep -q '^usage: skynet' err
