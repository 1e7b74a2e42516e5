# Each way in which two reads can end; and what wrong use gets.
run
prints <<END
left: read
right: read
left's text, right's text: 11 and 12 bytes
END
run left
prints <<END
left: an argument is not acceptable
right: the task was cancelled
not both: an argument is not acceptable
END
run right
prints <<END
left: read
right: an argument is not acceptable
not both: an argument is not acceptable
END
run both
prints <<END
left: an argument is not acceptable
right: the task was cancelled
not both: an argument is not acceptable
END
run neither
exits 2
grep -q '^usage: two_reads' err
