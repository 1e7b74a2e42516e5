# The same text at every chunk size, from real files; errors name line and column at every chunk
# size.
cat >small.json <<'END'
{"a":[1,-2.5e+3,{"b":null}], "c":"x\u00e9\n\"", "d":{}, "e":[], "f":[true,false],
 "g": 0.5}
END
for chunk in 1 7 4096; do
    run $chunk small.json
    prints <<'END'
{
  "a": [
    1,
    -2.5e+3,
    {
      "b": null
    }
  ],
  "c": "x\u00e9\n\"",
  "d": {},
  "e": [],
  "f": [
    true,
    false
  ],
  "g": 0.5
}
END
done
sweeping && return # the rest is slow, and much the same
# real files: the project's own, and whatever the build has written
reals="$co4_root/CMakePresets.json"
[ -f "$CO4_BUILD/compile_commands.json" ] && reals="$reals $CO4_BUILD/compile_commands.json"
for real in $reals; do
    run 4096 "$real"
    cp out whole
    for chunk in 1 7; do
        run $chunk "$real"
        cmp out whole
    done
    python3 -c 'import json, sys; a, b = map(lambda f: json.load(open(f)), sys.argv[1:]); sys.exit(a != b)' "$real" whole
done

wrong() # TEXT MESSAGE: refused with this message, at every chunk size
{
    printf "$1" >wrong.json
    for chunk in 1 7 4096; do
        run $chunk wrong.json
        exits 1
        grep -qF "wrong.json: $2" err || { echo "for $1: $(cat err)" >&2; return 1; }
    done
}
wrong '' 'line 1, column 1: a value is missing'
wrong '[1, 2' "line 1, column 6: ',' or ']' expected"
wrong '{"a" 1}' "line 1, column 6: ':' expected"
wrong '[1,\n 2,\n x]' 'line 3, column 2: a value is missing'
wrong '[1,]' "line 1, column 4: a value is missing after ','"
wrong '"abc' 'line 1, column 5: unfinished string'
wrong '["a\\x"]' 'line 1, column 5: unknown escape in a string'
wrong '["\\u12g4"]' 'line 1, column 7: \u wants four hexadecimal digits'
wrong 'nul' 'line 1, column 4: unknown word'
wrong '01' 'line 1, column 2: something follows the value'
wrong '1.' 'line 1, column 3: a digit is missing'
wrong '{} {}' 'line 1, column 4: something follows the value'
wrong "$(printf '%0600d' 0 | tr 0 '[')" 'line 1, column 513: nested too deeply'
run 7 missing.json
exits 2
grep -q missing.json err
run 0 small.json
exits 2
