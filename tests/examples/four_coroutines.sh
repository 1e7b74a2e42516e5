# Three workers, batch 2; every value is checked against the task's state by the program itself.
for round in 1 2 3 4 5; do
    run
    prints <<END
x y z: 3 steps, stopped 1 time, 0 faults
1 2 3: 3 steps, stopped 1 time, 0 faults
99 98 97: 3 steps, stopped 1 time, 0 faults
a b c: 3 steps, stopped 1 time, 0 faults
END
done
