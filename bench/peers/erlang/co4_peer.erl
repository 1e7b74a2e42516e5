%% co4_peer.erl - Erlang: processes and their mailboxes. The command line and the line of output are those of ../peer.h.
%%
%% A mailbox has no bound, so a fast sender is not held back; a generator is a process that is asked for each value.
-module(co4_peer). % OTP has a module peer
-export([start/0]).

start() -> main(init:get_plain_arguments()).

main(["--list"]) ->
    [io:format("~s~n", [Name]) || {Name, _, _} <- workloads()],
    halt(0);
main([Name, Size]) ->
    case lists:keyfind(Name, 1, workloads()) of
        false ->
            io:format(standard_error, "no workload '~s'~n", [Name]),
            halt(2);
        {_, Unit, Run} ->
            %% a process of its own: the one that the emulator starts with is slow with many messages
            Self = self(),
            N = list_to_integer(Size),
            spawn_opt(fun() -> Self ! {value, Run(N)} end, [{message_queue_data, off_heap}]),
            Value = receive {value, V} -> V end,
            io:format("{\"name\": \"~s\", \"value\": ~.3f, \"unit\": \"~s\", \"size\": ~b}~n", [Name, float(Value), Unit, N]),
            halt(0)
    end;
main(_) ->
    io:format(standard_error, "usage: PROGRAM [--workers N] WORKLOAD SIZE | --list~n", []),
    halt(2).

workloads() ->
    [{"call_fib", "ns", calls(fun() -> fib(32) end, 2178309, 7049155)},
     {"call_tak", "ns", calls(fun() -> tak(18, 12, 6) end, 7, 63609)},
     {"call_ackermann", "ns", calls(fun() -> ackermann(3, 7) end, 1021, 693964)},
     {"yield", "ns", fun yield/1}]
    ++ [{"deep_yield_" ++ integer_to_list(D), "ns", fun(N) -> deep(D, N) end} || D <- [4, 8, 12, 16, 20]]
    ++ [{"ring", "ns", fun ring/1},
        {"ping_pong", "ns", fun ping_pong/1},
        {"fan_in", "ns", fun fan_in/1},
        {"skynet", "ms", fun skynet/1},
        {"spawn", "ns", fun spawn_many/1},
        {"yield_two", "ns", fun yield_two/1},
        {"timer_cancel", "ns", fun timer_cancel/1},
        {"timer_fire", "ns", fun timer_fire/1},
        {"parked_own_bytes", "bytes", fun parked/1},
        {"wake_p50", "ns", fun(N) -> wake(N, 0.5) end},
        {"wake_p99", "ns", fun(N) -> wake(N, 0.99) end},
        {"wake_p999", "ns", fun(N) -> wake(N, 0.999) end},
        {"nqueens", "ms", fun nqueens/1}].

check(_, Same, Same) -> ok;
check(What, Got, Want) ->
    io:format(standard_error, "~s gave ~p, not ~p~n", [What, Got, Want]),
    halt(1).

now_ns() -> erlang:monotonic_time(nanosecond).
each(Begin, Count) -> (now_ns() - Begin) / Count.
ms(Begin) -> (now_ns() - Begin) / 1.0e6.

times(0, _) -> ok;
times(N, F) -> F(), times(N - 1, F).

%% ---- calls ----

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) -> tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).

ackermann(0, N) -> N + 1;
ackermann(M, 0) -> ackermann(M - 1, 1);
ackermann(M, N) -> ackermann(M - 1, ackermann(M, N - 1)).

calls(F, Is, Calls) ->
    fun(Times) ->
        Begin = now_ns(),
        times(Times, fun() -> check("call", F(), Is) end),
        each(Begin, Times * Calls)
    end.

%% ---- generators ----

give(To, Value) ->
    receive next -> To ! {value, Value} end.

drain(Generator, Sum) ->
    Generator ! next,
    receive
        {value, done} -> Sum;
        {value, V} -> drain(Generator, Sum + V)
    end.

generate(F) ->
    Self = self(),
    drain(spawn(fun() -> F(Self), give(Self, done) end), 0).

count(_, N, N) -> ok;
count(To, I, N) -> give(To, I), count(To, I + 1, N).

yield(Values) ->
    Begin = now_ns(),
    check("yield", generate(fun(To) -> count(To, 0, Values) end), Values * (Values - 1) div 2),
    each(Begin, Values).

walk(_, _, 0) -> ok;
walk(To, First, Depth) ->
    Node = First + (1 bsl (Depth - 1)) - 1,
    walk(To, First, Depth - 1),
    give(To, Node),
    walk(To, Node + 1, Depth - 1).

deep(Depth, AtLeast) ->
    Nodes = (1 bsl Depth) - 1,
    Times = AtLeast div Nodes + 1,
    Begin = now_ns(),
    Sum = generate(fun(To) -> times(Times, fun() -> walk(To, 0, Depth) end) end),
    check("deep_yield", Sum, Times * (Nodes * (Nodes - 1) div 2)),
    each(Begin, Nodes * Times).

%% ---- messages ----

member(Next, Main) ->
    receive
        {token, 0} -> Main ! {over, self()};
        {token, N} -> Next ! {token, N - 1}, member(Next, Main);
        {next, P} -> member(P, Main)
    end.

ring(Hops) ->
    Self = self(),
    Last = spawn(fun() -> member(none, Self) end),
    Others = lists:foldl(fun(_, [P | _] = All) -> [spawn(fun() -> member(P, Self) end) | All] end, [Last], lists:seq(2, 503)),
    Last ! {next, hd(Others)},
    Begin = now_ns(),
    hd(Others) ! {token, Hops},
    Holder = receive {over, P} -> P end,
    Ns = each(Begin, Hops),
    check("ring", Holder, lists:nth(Hops rem 503 + 1, Others)), % the holder of the token at the end
    Ns.

ping(_, Rounds, Rounds) -> ok;
ping(To, I, Rounds) ->
    To ! {self(), I},
    receive {To, Got} -> check("ping_pong", Got, I) end,
    ping(To, I + 1, Rounds).

pong() ->
    receive {From, I} -> From ! {self(), I}, pong() end.

ping_pong(Rounds) ->
    Self = self(),
    Begin = now_ns(),
    Pong = spawn(fun pong/0),
    spawn(fun() -> ping(Pong, 0, Rounds), Self ! done end),
    receive done -> ok end,
    each(Begin, Rounds).

produce(_, I, Each) when I > Each -> ok;
produce(To, I, Each) -> To ! {item, I}, produce(To, I + 1, Each).

consume(0, Sum) -> Sum;
consume(Left, Sum) ->
    receive {item, V} -> consume(Left - 1, Sum + V) end.

fan_in(Each) ->
    Self = self(),
    Begin = now_ns(),
    [spawn(fun() -> produce(Self, 1, Each) end) || _ <- lists:seq(1, 8)],
    Sum = consume(8 * Each, 0),
    Ns = each(Begin, 8 * Each),
    check("fan_in", Sum, 8 * (Each * (Each + 1) div 2)),
    Ns.

%% ---- tasks ----

sky(Parent, Number, 1) -> Parent ! {sum, Number};
sky(Parent, Number, Size) ->
    Self = self(),
    Part = Size div 10,
    [spawn(fun() -> sky(Self, Number + I * Part, Part) end) || I <- lists:seq(0, 9)],
    Parent ! {sum, lists:sum([receive {sum, S} -> S end || _ <- lists:seq(0, 9)])}.

skynet(Leaves) ->
    Self = self(),
    Begin = now_ns(),
    spawn(fun() -> sky(Self, 0, Leaves) end),
    Sum = receive {sum, S} -> S end,
    Ms = ms(Begin),
    check("skynet", Sum, Leaves * (Leaves - 1) div 2),
    Ms.

start(N, N, _) -> ok;
start(I, N, F) ->
    spawn(fun() -> F(I) end),
    case I rem 256 of
        255 -> erlang:yield();
        _ -> ok
    end,
    start(I + 1, N, F).

spawn_many(Count) ->
    Done = counters:new(1, [write_concurrency]),
    Self = self(),
    Begin = now_ns(),
    Last = Count - 1,
    start(0, Count, fun(I) ->
        counters:add(Done, 1, 1),
        I =:= Last andalso (Self ! last)
    end),
    receive last -> ok end,
    until(Done, Count),
    each(Begin, Count).

until(Counter, Count) ->
    case counters:get(Counter, 1) of
        Count -> ok;
        _ -> erlang:yield(), until(Counter, Count)
    end.

yield_two(Each) ->
    Self = self(),
    Begin = now_ns(),
    [spawn(fun() -> times(Each, fun erlang:yield/0), Self ! done end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    each(Begin, 2 * Each).

%% ---- timers ----

timer_cancel(Count) ->
    Self = self(),
    Begin = now_ns(),
    All = [begin
               P = spawn(fun() ->
                   receive stop -> Self ! stopped after 3600000 -> Self ! late end
               end),
               I rem 256 =:= 255 andalso erlang:yield(),
               P
           end || I <- lists:seq(0, Count - 1)],
    [P ! stop || P <- All],
    times(Count, fun() -> receive stopped -> ok end end),
    each(Begin, Count).

timer_fire(Count) ->
    Self = self(),
    Begin = now_ns(),
    start(0, Count, fun(I) -> receive after 1 + I rem 10 -> Self ! woken end end),
    times(Count, fun() -> receive woken -> ok end end),
    each(Begin, Count).

%% ---- memory ----

resident() ->
    {ok, File} = file:open("/proc/self/statm", [read, raw, binary]),
    {ok, Text} = file:read(File, 100),
    file:close(File),
    [_, Pages | _] = binary:split(Text, <<" ">>, [global]),
    binary_to_integer(Pages) * 4096.

park(N, N, _, All) -> All;
park(I, N, Main, All) ->
    P = spawn(fun() -> receive {add, V} -> Main ! {sum, I + V} end end),
    I rem 256 =:= 255 andalso erlang:yield(),
    park(I + 1, N, Main, [P | All]).

parked(Count) ->
    Before = resident(),
    All = park(0, Count, self(), []),
    timer:sleep(200),
    Each = (resident() - Before) / Count,
    [P ! {add, 0} || P <- All],
    Sum = lists:foldl(fun(_, S) -> receive {sum, V} -> S + V end end, 0, All),
    check("parked_bytes", Sum, Count * (Count - 1) div 2),
    Each.

%% ---- a wake under load ----

burn(End) ->
    case now_ns() < End of
        true -> burn(End);
        false -> ok
    end.

load() ->
    burn(now_ns() + 20000),
    erlang:yield(),
    load().

woken() ->
    receive {From, Sent} -> From ! {late, now_ns() - Sent}, woken() end.

wake(Count, Share) ->
    Loads = [spawn(fun load/0) || _ <- lists:seq(1, 4 * erlang:system_info(schedulers_online))],
    To = spawn(fun woken/0),
    Late = [begin
                receive after 1 -> ok end,
                To ! {self(), now_ns()},
                receive {late, L} -> L end
            end || _ <- lists:seq(1, Count)],
    [exit(P, kill) || P <- Loads],
    lists:nth(trunc(Share * (Count - 1)) + 1, lists:sort(Late)).

%% ---- work for all processors ----

queens(All, All, _, _) -> 1;
queens(All, Columns, Left, Right) ->
    queens(All band bnot (Columns bor Left bor Right), All, Columns, Left, Right, 0).

queens(0, _, _, _, _, Count) -> Count;
queens(Free, All, C, L, R, Count) ->
    Bit = Free band -Free,
    queens(Free bxor Bit, All, C, L, R, Count + queens(All, C bor Bit, (L bor Bit) bsl 1, (R bor Bit) bsr 1)).

bits(0) -> [];
bits(Free) -> Bit = Free band -Free, [Bit | bits(Free bxor Bit)].

nqueens(N) ->
    Self = self(),
    All = (1 bsl N) - 1,
    Begin = now_ns(),
    Tasks = [spawn(fun() -> Self ! {found, queens(All, A bor B, (A bsl 1 bor B) bsl 1, (A bsr 1 bor B) bsr 1)} end)
             || A <- bits(All), B <- bits(All band bnot (A bor (A bsl 1) bor (A bsr 1)))],
    Sum = lists:foldl(fun(_, S) -> receive {found, F} -> S + F end end, 0, Tasks),
    Ms = ms(Begin),
    check("nqueens", Sum, lists:nth(N + 1, [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184])),
    Ms.
