# The ancestors' first program: 1, 2, 3, what the caller sends, a result.
run
prints <<END
caller: was given 1
  generator: was sent 10
caller: was given 2
  generator: was sent 20
caller: was given 3
  generator: was sent 30
caller: the result is 60
END
