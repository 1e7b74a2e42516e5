-- lua_bench.lua - what scripts do that do not wait: calls, tables, strings, sorting, errors.

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(27))

local t = {}
for i = 1, 200000 do t[i] = (i * 7919) % 100003 end
table.sort(t)
print(t[1], t[#t])

local words = {}
for i = 1, 60000 do words[#words + 1] = ("%d:%s"):format(i, tostring(i * i)) end
local text = table.concat(words, " ")
print(#text, select(2, text:gsub("%d+", function(n) return #n > 4 and "n" or nil end)))

local failed = 0
for i = 1, 100000 do
    if not pcall(function() if i % 3 == 0 then error(i) end end) then failed = failed + 1 end
end
print(failed)

local objects = {}
for i = 1, 200000 do objects[i % 1000] = { i, next = objects[(i + 1) % 1000] and i } end
collectgarbage()
print(#objects)
