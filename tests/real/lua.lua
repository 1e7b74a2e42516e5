-- lua.lua - Lua 5.4's own features: coroutines, errors, metamethods, closing variables, collection.

local function part(name, f, ...)
    print("== " .. name, select("#", ...))
    print(pcall(f, ...))
end

part("coroutines", function()
    local function walk(n)
        if n > 0 then walk(n - 1) coroutine.yield(n) walk(n - 2) end
    end
    local sum, count = 0, 0
    for value in coroutine.wrap(function() walk(14) end) do sum, count = sum + value, count + 1 end
    print(sum, count)
    local c = coroutine.create(function(a, b)
        local x = coroutine.yield(a + b)
        local ok, e = pcall(function() coroutine.yield(x * 2) error({ code = 7 }) end)
        print(ok, e.code)
        error("at last")
    end)
    print(coroutine.resume(c, 1, 2)) print(coroutine.resume(c, 10)) print(coroutine.resume(c))
    print(coroutine.status(c), coroutine.resume(c), coroutine.isyieldable(), coroutine.close(c))
end)

part("errors", function()
    local function deep(n) if n == 0 then error("deep") end return 1 + deep(n - 1) end
    print(pcall(deep, 100)) print(xpcall(deep, function(m) return "handled " .. m end, 20))
    print(select(2, pcall(function() local function f() return f() + 1 end return f() end)):sub(1, 40))
    print(pcall(error, nil)) print(pcall(error, setmetatable({}, { __tostring = function() return "t" end })))
    print(load("x = = 1")) print(load("return ...", "chunk", "t", {})(42)) print(pcall(string.rep, "x", -1))
    print(pcall(function() local a <close> = setmetatable({}, { __close = function(_, e) print("closed", e) end }) error("e", 0) end))
end)

part("metamethods", function()
    local v = {} v.__index = v
    v.__add = function(a, b) return setmetatable({ x = a.x + b.x }, v) end
    v.__eq = function(a, b) return a.x == b.x end v.__lt = function(a, b) return a.x < b.x end
    v.__call = function(self, k) return self.x * k end v.__len = function(self) return self.x end
    v.__concat = function(a, b) return "v" .. tostring(b) end v.__unm = function(a) return setmetatable({ x = -a.x }, v) end
    local a, b = setmetatable({ x = 3 }, v), setmetatable({ x = 4 }, v)
    print((a + b).x, a == b, a < b, a(5), #b, a .. "s", (-a).x)
    local log = setmetatable({}, { __newindex = function(t, k, w) rawset(t, k, w * 2) end, __index = function(_, k) return k .. "?" end })
    log.a = 21 print(log.a, log.b)
end)

part("strings", function()
    print(("%5.1f|%-4d|%q|%s"):format(3.14159, 7, "a\nb", nil), ("hello world"):gsub("o", { o = "0" }))
    for w, n in ("one=1, two=2"):gmatch("(%w+)=(%w+)") do io.write(w, n, " ") end print()
    print(("x"):rep(3, "-"), ("abc"):byte(1, -1), utf8.char(228, 8364), utf8.len("äö"), #string.pack("i4z", 1, "ab"))
    print(string.find("a.b", ".", 2, true), ("  trim "):match("^%s*(.-)%s*$"), tostring(1e15), 2^53, 7 // 2, -7 % 3, 1 << 62)
    local t = {} for i = 1, 500 do t[i] = (i * 7919) % 1009 end table.sort(t) print(t[1], t[250], t[500], table.concat(t, ",", 1, 5))
    table.sort(t, function(a, b) return a > b end) print(t[1], table.unpack(t, 1, 3))
end)

part("goto", function()
    for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end io.write(i, j, " ") ::continue:: end end print()
    local f = {} for i = 1, 3 do local x = i f[i] = function() x = x + i return x end end print(f[1](), f[1](), f[3]())
    print(select(-1, 1, 2, 3), (function(...) return select("#", ...) end)(nil, nil), math.maxinteger + 1 == math.mininteger)
end)

part("collection", function()
    local weak, n = setmetatable({}, { __mode = "k" }), 0
    for i = 1, 200 do weak[setmetatable({}, { __gc = function() n = n + 1 end })] = i end
    collectgarbage() collectgarbage() print(next(weak), n)
    collectgarbage("generational") local s = {} for i = 1, 20000 do s[i % 100] = { i, tostring(i) } end
    collectgarbage("incremental") collectgarbage() print(s[7][2])
end)

part("chunks", function()
    local code = {} for i = 1, 300 do code[i] = ("local v%d = %d + (function() return %d end)()"):format(i % 150, i, i) end
    print(load("do " .. table.concat(code, " ", 1, 150) .. " end return 1")())
    local dumped = string.dump(function(a) return a * 2 end) print(load(dumped, "d", "b")(21))
    print(require("string") == string, pcall(require, "no.such") == false, os.getenv("NOTHING"), os.time({ year = 2020, month = 1, day = 1, hour = 12 }))
end)
