#!/bin/sh
# sqlite.sh - SQL by the sqlite3 shell: queries, indexes, transactions, triggers, JSON, full-text
# search, a file.
#
#   sqlite.sh SQLITE3
set -u
sqlite=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

part() # part NAME [DATABASE]: SQL on standard input
{
    echo "== $1"
    "$sqlite" "${2:-:memory:}" 2>&1
    echo "status $?"
}

part tables <<'S'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000)
  INSERT INTO t SELECT i, 'row' || (i*7919%5000), i*0.25 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(a), avg(c), min(b), max(b) FROM t;
SELECT a, b FROM t WHERE b BETWEEN 'row100' AND 'row1005' ORDER BY b LIMIT 8;
SELECT a%10 AS d, count(*), group_concat(a%3, '') FROM t WHERE a<100 GROUP BY d HAVING d>6;
SELECT x.a, y.a FROM t x JOIN t y ON y.b = 'row' || x.a WHERE x.a<6 ORDER BY 1;
SELECT a, sum(a) OVER (ORDER BY a ROWS 3 PRECEDING), rank() OVER (ORDER BY a%4) FROM t LIMIT 9;
DELETE FROM t WHERE a%3=0; UPDATE t SET c=-c WHERE b LIKE '%9'; SELECT count(*), round(sum(c), 2) FROM t;
EXPLAIN QUERY PLAN SELECT * FROM t WHERE b='x' OR a=3;
PRAGMA integrity_check;
S

part transactions file.db <<'S'
PRAGMA journal_mode=WAL;
CREATE TABLE acc(id PRIMARY KEY, n INT CHECK (n>=0));
CREATE TABLE log(id, was, now);
CREATE TRIGGER tr AFTER UPDATE ON acc BEGIN INSERT INTO log VALUES(new.id, old.n, new.n); END;
INSERT INTO acc VALUES('x', 10), ('y', 20);
BEGIN; UPDATE acc SET n=n-5 WHERE id='x'; UPDATE acc SET n=n+5 WHERE id='y'; COMMIT;
BEGIN; UPDATE acc SET n=n-50 WHERE id='x'; ROLLBACK;
SAVEPOINT s; UPDATE acc SET n=0; ROLLBACK TO s; RELEASE s;
INSERT INTO acc VALUES('x', 1);
SELECT * FROM acc; SELECT * FROM log;
VACUUM; PRAGMA integrity_check;
S

part again file.db <<'S'
SELECT id, n FROM acc ORDER BY n DESC; SELECT count(*) FROM sqlite_schema;
.schema
.dump acc
S

part expressions <<'S'
SELECT json_extract('{"a":[1,2,{"b":"c"}]}', '$.a[2].b'), json_array(1, null, 'x');
SELECT key, value FROM json_each('{"k":1,"l":[2]}');
SELECT printf('%05.2f|%-6s|%x', 3.14159, 'ab', 255), hex(x'00ff'), quote('it''s'), typeof(1e3), 7/2, 7%4, -7/2.0;
SELECT substr('abcdef', -3, 2), instr('abc', 'c'), upper('é'), replace('aXa', 'X', 'yy'), trim('  x ');
SELECT date('2024-02-28', '+2 days'), strftime('%j %w', '2023-12-31'), julianday('2000-01-01');
SELECT CASE WHEN 1 THEN 'one' ELSE 'other' END, coalesce(NULL, NULL, 3), 'a' GLOB '[a-c]', 'abc' LIKE 'A%';
SELECT 9223372036854775807 + 1, 1/0, CAST('12abc' AS INT), x'61' || 'b', 0.1 + 0.2 = 0.3;
SELEC 1;
SELECT no_such(1);
WITH RECURSIVE f(a, b, n) AS (VALUES(0, 1, 0) UNION ALL SELECT b, a+b, n+1 FROM f WHERE n<50) SELECT max(a) FROM f;
S

part shell <<'S'
.mode column
.headers on
CREATE TABLE w(word, n); INSERT INTO w VALUES('one', 1), ('two', NULL), ('a longer word', 3.5);
SELECT * FROM w;
.mode csv
SELECT * FROM w;
.mode json
SELECT * FROM w;
.mode insert w
SELECT * FROM w;
.tables
S
