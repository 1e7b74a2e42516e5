/* page.c - the picture as far as it is drawn, in a browser: a page, an event for each change, and
 * the points of a tile. Each answer has a connection of its own. */
#include <co4/conn.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm.h"

enum { LINE = 4096, MOST_LINES = 100, AT_ONCE = 200 };
#define PATIENCE (10 * CO4_SEC) /* for a browser that asks nothing, or takes nothing */

static const char page[] =
    "<!doctype html><meta charset=utf-8><title>farm</title>\n"
    "<style>body{font:15px sans-serif;margin:2em;background:#fff;color:#222}\n"
    "canvas{background:#ddd;max-width:100%}td,th{padding:0 1em 0 0;text-align:left}</style>\n"
    "<p id=state>waiting</p><canvas id=picture></canvas><table id=workers></table>\n"
    "<script>\n"
    "const byId = id => document.getElementById(id), canvas = byId('picture');\n"
    "async function draw(t) {\n"
    "  const answer = await fetch('/tile/' + t.number);\n"
    "  const points = new Uint8ClampedArray(await answer.arrayBuffer());\n"
    "  canvas.getContext('2d').putImageData(new ImageData(points, t.columns), t.left, t.top);\n"
    "}\n"
    "const events = new EventSource('/events');\n"
    "events.onmessage = async e => {\n"
    "  const s = JSON.parse(e.data);\n"
    "  if (canvas.width != s.columns || canvas.height != s.rows) {\n"
    "    canvas.width = s.columns; canvas.height = s.rows;\n"
    "  }\n"
    "  byId('state').textContent = `${s.finished} of ${s.tiles} tiles, ${s.rate}/s` +\n"
    "    (s.left >= 0 ? `, ${s.left} s left` : '') + `; ${s.again} given again, ${s.twice} twice` "
    "+\n"
    "    (s.up ? '' : '; no server');\n"
    "  byId('workers').innerHTML = '<tr><th>worker<th>tiles<th>of others';\n"
    "  for (const w of s.workers) {\n"
    "    const row = byId('workers').insertRow();\n"
    "    for (const text of [w.name, w.done, w.before]) row.insertCell().textContent = text;\n"
    "  }\n"
    "  for (const t of s.drawn) await draw(t);\n"
    "};\n"
    "</script>\n";

static void head(co4_conn *c, const char *status, const char *type)
{
    co4_conn_printf(c,
                    "HTTP/1.1 %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\n"
                    "Connection: close\r\n\r\n",
                    status, type);
}

/* ---- events ---- */

static void put_workers(const struct farm *f, co4_conn *c)
{
    bool first = true;
    for (int i = 0; i < f->worker_count; i++) {
        const struct worker_news *w = &f->workers[i];
        if (w->seen < co4_now() - 2 * CO4_SEC || strpbrk(w->name, "\"\\"))
            continue;
        co4_conn_printf(c, "%s{\"name\":\"%s\",\"done\":%ld,\"before\":%ld}", first ? "" : ",",
                        w->name, w->done, w->before);
        first = false;
    }
}

/* What has changed since the browser had `from` tiles. Returns how many it has now. */
static int put_event(const struct farm *f, co4_conn *c, int from)
{
    int to = f->finished - from > AT_ONCE ? from + AT_ONCE : f->finished;
    co4_conn_printf(c,
                    "data: {\"columns\":%d,\"rows\":%d,\"finished\":%d,\"tiles\":%d,\"rate\":%.0f,"
                    "\"left\":%.0f,\"again\":%ld,\"twice\":%ld,\"up\":%s,\"workers\":[",
                    f->o->picture.columns, f->o->picture.rows, f->finished, f->tiles, farm_rate(f),
                    farm_left(f), f->again, f->twice, f->up ? "true" : "false");
    put_workers(f, c);
    co4_conn_printf(c, "],\"drawn\":[");
    for (int i = from; i < to; i++) {
        struct tile t = picture_tile(&f->o->picture, f->order[i]);
        co4_conn_printf(c, "%s{\"number\":%d,\"left\":%d,\"top\":%d,\"columns\":%d}",
                        i > from ? "," : "", f->order[i], t.left, t.top, t.columns);
    }
    co4_conn_printf(c, "]}\n\n");
    return to;
}

static pausable void send_events(const struct farm *f, co4_conn *c)
{
    int sent = 0;
    head(c, "200 OK", "text/event-stream");
    do
        sent = put_event(f, c, sent);
    while (co4_conn_flush_until(c, co4_now() + PATIENCE) == 0 && co4_sleep(CO4_SEC / 4) == CO4_OK);
}

/* ---- the rest ---- */

/* Its points, with four bytes each. */
static pausable void send_tile(const struct farm *f, co4_conn *c, int number)
{
    if (number < 0 || number >= f->tiles || !f->is_done[number]) {
        head(c, "404 Not Found", "text/plain");
        return;
    }
    struct tile t = picture_tile(&f->o->picture, number);
    head(c, "200 OK", "application/octet-stream");
    for (int row = 0; row < t.rows; row++) {
        unsigned char points[4 * 512];
        const unsigned char *from = f->picture +
                                    3 * ((size_t)(t.top + row) * (size_t)f->o->picture.columns +
                                         (size_t)t.left);
        for (int i = 0; i < t.columns; i++) {
            memcpy(points + 4 * i, from + 3 * i, 3);
            points[4 * i + 3] = 255;
        }
        co4_conn_put(c, points, 4 * (size_t)t.columns);
    }
}

/* Copies the path of the first line, and reads the rest of the request. */
static pausable bool read_request(co4_conn *c, char *path, size_t room)
{
    char *line, format[32];
    int64_t deadline = co4_now() + PATIENCE;
    if (co4_conn_read_line_until(c, &line, LINE, deadline) <= 0)
        return false;
    snprintf(format, sizeof format, "GET %%%zus", room - 1);
    if (sscanf(line, format, path) != 1)
        return false;
    for (int i = 0; i < MOST_LINES; i++)
        if (co4_conn_read_line_until(c, &line, LINE, deadline) <= 0)
            return false;
        else if (line[0] == '\r' || line[0] == '\n')
            return true;
    return false;
}

static pausable int answer(const struct farm *f, int fd)
{
    char path[100];
    int number;
    co4_conn *c = co4_conn_create(fd);
    if (!c)
        return co4_close(fd);
    if (!read_request(c, path, sizeof path)) {
        head(c, "400 Bad Request", "text/plain");
    } else if (strcmp(path, "/") == 0) {
        head(c, "200 OK", "text/html");
        co4_conn_put(c, page, sizeof page - 1);
    } else if (strcmp(path, "/events") == 0) {
        send_events(f, c);
    } else if (sscanf(path, "/tile/%d", &number) == 1) {
        send_tile(f, c, number);
    } else {
        head(c, "404 Not Found", "text/plain");
    }
    return co4_conn_close_until(c, co4_now() + PATIENCE);
}

static pausable int accept_all(const struct farm *f, int listener)
{
    int fd;
    while ((fd = co4_accept_next(listener)) >= 0)
        if (co4_scope_spawn(co4_scope_here(), answer(f, fd)) != CO4_OK)
            co4_close(fd);
    return CO4_OK;
}

pausable int serve_page(struct farm *f, int listener)
{
    return co4_scope_run(0, accept_all(f, listener));
}
