# Two hundred clients for two seconds: all are answered; and what wrong use gets.
if sweeping; then
    run 3 1
    return 0
fi
run 200 2
grep -q '^200 connections on one thread, [1-9][0-9]* answers a second, [1-9][0-9]* bytes a connection$' out
[ "$(grep -c connections out)" = 2 ]
run 0 1
exits 2
grep -q '^usage: crowd' err
if [ -z "$under" ]; then # valgrind keeps some descriptors for itself
    ulimit -n 300
    run 200 1
    grep -q '^crowd: 100 connections: this system allows 300 descriptors' err
fi
