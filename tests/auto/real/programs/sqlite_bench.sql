-- sqlite_bench.sql - a database in memory, which needs no wait: rows, an index, a join, a sort.
CREATE TABLE a(id INTEGER PRIMARY KEY, other INTEGER, text);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
  INSERT INTO a SELECT i, i * 7919 % 200000, 'row ' || i FROM n;
CREATE INDEX by_other ON a(other, text);
SELECT count(*), sum(length(x.text) + y.id) FROM a x JOIN a y ON y.other = x.id;
SELECT max(text), count(DISTINCT substr(text, 1, 6)) FROM a;
SELECT id FROM a ORDER BY text DESC LIMIT 2 OFFSET 9999;
UPDATE a SET text = upper(text) || other WHERE id % 3 = 0;
SELECT sum(length(text)) FROM a WHERE text LIKE '%7%';
