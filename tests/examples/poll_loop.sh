# What each client got back, through poll().
run
prints <<'END'
TO BE OR
NOT TO BE, THAT IS THE QUESTION
WHETHER TIS NOBLER
END
