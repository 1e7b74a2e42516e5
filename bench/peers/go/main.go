// main.go - Go: goroutines and channels. The command line and the line of output are those of ../peer.h.
//
// Go 1.19 has no iterators: a generator is a goroutine that sends through a channel. Workers are GOMAXPROCS.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	ringTasks = 503
	producers = 8
	capacity  = 300
)

func check(what string, got, want int64) {
	if got != want {
		fmt.Fprintf(os.Stderr, "%s gave %d, not %d\n", what, got, want)
		os.Exit(1)
	}
}

func nsEach(begin time.Time, count int64) float64 {
	return float64(time.Since(begin).Nanoseconds()) / float64(count)
}

// ---- calls, in a goroutine ----

//go:noinline
func fib(n int32) int32 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func tak(x, y, z int32) int32 {
	if y >= x {
		return z
	}
	return tak(tak(x-1, y, z), tak(y-1, z, x), tak(z-1, x, y))
}

//go:noinline
func ackermann(m, n int32) int32 {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func calls(what string, f func() int32, is, each int64) func(int64) float64 {
	return func(times int64) float64 {
		begin := time.Now()
		done := make(chan bool)
		go func() {
			for i := int64(0); i < times; i++ {
				check(what, int64(f()), is)
			}
			done <- true
		}()
		<-done
		return nsEach(begin, times*each)
	}
}

// ---- generators ----

func yield(values int64) float64 {
	begin := time.Now()
	c := make(chan int64)
	go func() {
		for i := int64(0); i < values; i++ {
			c <- i
		}
		close(c)
	}()
	sum := int64(0)
	for v := range c {
		sum += v
	}
	check("yield", sum, values*(values-1)/2)
	return nsEach(begin, values)
}

func walk(c chan int64, first int64, depth int) {
	if depth == 0 {
		return
	}
	node := first + (int64(1) << (depth - 1)) - 1
	walk(c, first, depth-1)
	c <- node
	walk(c, node+1, depth-1)
}

func deep(depth int) func(int64) float64 {
	return func(atLeast int64) float64 {
		nodes := (int64(1) << depth) - 1
		times := atLeast/nodes + 1
		begin := time.Now()
		c := make(chan int64)
		go func() {
			for i := int64(0); i < times; i++ {
				walk(c, 0, depth)
			}
			close(c)
		}()
		sum := int64(0)
		for v := range c {
			sum += v
		}
		check("deep_yield", sum, times*(nodes*(nodes-1)/2))
		return nsEach(begin, nodes*times)
	}
}

// ---- messages ----

func ring(hops int64) float64 {
	var all [ringTasks]chan int64
	for i := range all {
		all[i] = make(chan int64, 1)
	}
	var wait sync.WaitGroup
	wait.Add(ringTasks)
	begin := time.Now()
	for i := range all {
		go func(in, out chan int64) {
			for {
				token := <-in - 1
				out <- token
				if token <= ringTasks-1 {
					break
				}
			}
			wait.Done()
		}(all[i], all[(i+1)%ringTasks])
	}
	all[0] <- hops
	wait.Wait()
	ns := nsEach(begin, hops)
	left := 0
	for i := range all {
		left += len(all[i])
	}
	check("ring", int64(left), 1)
	return ns
}

func pingPong(rounds int64) float64 {
	a, b := make(chan int64, 1), make(chan int64, 1)
	var wait sync.WaitGroup
	wait.Add(2)
	begin := time.Now()
	go func() {
		for i := int64(0); i < rounds; i++ {
			b <- i
			check("ping_pong", <-a, i)
		}
		wait.Done()
	}()
	go func() {
		for i := int64(0); i < rounds; i++ {
			a <- <-b
		}
		wait.Done()
	}()
	wait.Wait()
	return nsEach(begin, rounds)
}

func fanIn(each int64) float64 {
	box := make(chan int64, capacity)
	result := make(chan int64)
	begin := time.Now()
	go func() {
		sum := int64(0)
		for i := int64(0); i < producers*each; i++ {
			sum += <-box
		}
		result <- sum
	}()
	for p := 0; p < producers; p++ {
		go func() {
			for i := int64(1); i <= each; i++ {
				box <- i
			}
		}()
	}
	sum := <-result
	ns := nsEach(begin, producers*each)
	check("fan_in", sum, producers*(each*(each+1)/2))
	return ns
}

// 8 sources, each with a producer; one task selects over them.
func selectFrom8(each int64) float64 {
	var boxes [producers]chan int64
	for i := range boxes {
		boxes[i] = make(chan int64, capacity)
	}
	result := make(chan int64)
	begin := time.Now()
	go func() {
		sum := int64(0)
		for i := int64(0); i < producers*each; i++ {
			select {
			case v := <-boxes[0]:
				sum += v
			case v := <-boxes[1]:
				sum += v
			case v := <-boxes[2]:
				sum += v
			case v := <-boxes[3]:
				sum += v
			case v := <-boxes[4]:
				sum += v
			case v := <-boxes[5]:
				sum += v
			case v := <-boxes[6]:
				sum += v
			case v := <-boxes[7]:
				sum += v
			}
		}
		result <- sum
	}()
	for _, box := range boxes {
		go func(box chan int64) {
			for i := int64(1); i <= each; i++ {
				box <- i
			}
		}(box)
	}
	sum := <-result
	ns := nsEach(begin, producers*each)
	check("select_8", sum, producers*(each*(each+1)/2))
	return ns
}

// ---- tasks ----

func sky(parent chan int64, number, size int64) {
	if size == 1 {
		parent <- number
		return
	}
	children := make(chan int64, 10)
	for i := int64(0); i < 10; i++ {
		go sky(children, number+i*(size/10), size/10)
	}
	sum := int64(0)
	for i := 0; i < 10; i++ {
		sum += <-children
	}
	parent <- sum
}

func skynet(leaves int64) float64 {
	top := make(chan int64, 1)
	begin := time.Now()
	go sky(top, 0, leaves)
	sum := <-top
	ms := float64(time.Since(begin).Nanoseconds()) / 1e6
	check("skynet", sum, leaves*(leaves-1)/2)
	return ms
}

func spawn(count int64) float64 {
	var wait sync.WaitGroup
	wait.Add(int(count))
	begin := time.Now()
	go func() {
		for i := int64(0); i < count; i++ {
			go wait.Done()
			if i%256 == 255 {
				runtime.Gosched()
			}
		}
	}()
	wait.Wait()
	return nsEach(begin, count)
}

func yieldTwo(each int64) float64 {
	var wait sync.WaitGroup
	wait.Add(2)
	begin := time.Now()
	for t := 0; t < 2; t++ {
		go func() {
			for i := int64(0); i < each; i++ {
				runtime.Gosched()
			}
			wait.Done()
		}()
	}
	wait.Wait()
	return nsEach(begin, 2*each)
}

// ---- memory ----

func resident() float64 {
	text, _ := os.ReadFile("/proc/self/statm")
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return float64(pages * int64(os.Getpagesize()))
}

func parked(own bool) func(int64) float64 {
	return func(count int64) float64 {
		boxes := make([]chan int32, 1)
		if own {
			boxes = make([]chan int32, count)
		}
		for i := range boxes { // touched, so that the slice does not count
			boxes[i] = nil
		}
		var wait sync.WaitGroup
		var sum int64
		before := resident()
		wait.Add(int(count))
		for i := int64(0); i < count; i++ {
			mine := int64(0)
			if own {
				mine = i
			}
			if boxes[mine] == nil {
				boxes[mine] = make(chan int32, 1)
			}
			go func(box chan int32, id int64) {
				<-box
				atomic.AddInt64(&sum, id)
				wait.Done()
			}(boxes[mine], i)
			if i%256 == 255 {
				runtime.Gosched()
			}
		}
		time.Sleep(200 * time.Millisecond)
		each := (resident() - before) / float64(count)
		for _, box := range boxes {
			close(box)
		}
		wait.Wait()
		check("parked_bytes", sum, count*(count-1)/2)
		return each
	}
}

// ---- timers ----

// Each waits for at most an hour; then they get the order to stop, and their timers are cancelled.
func timerCancel(count int64) float64 {
	var wait sync.WaitGroup
	var stopped int64
	stop := make(chan bool)
	wait.Add(int(count))
	begin := time.Now()
	for i := int64(0); i < count; i++ {
		go func() {
			timer := time.NewTimer(time.Hour)
			select {
			case <-stop:
				timer.Stop()
				atomic.AddInt64(&stopped, 1)
			case <-timer.C:
			}
			wait.Done()
		}()
		if i%256 == 255 {
			runtime.Gosched()
		}
	}
	close(stop)
	wait.Wait()
	check("timer_cancel", stopped, count)
	return nsEach(begin, count)
}

func timerFire(count int64) float64 {
	var wait sync.WaitGroup
	wait.Add(int(count))
	begin := time.Now()
	for i := int64(0); i < count; i++ {
		go func(i int64) {
			time.Sleep(time.Duration(1+i%10) * time.Millisecond)
			wait.Done()
		}(i)
		if i%256 == 255 {
			runtime.Gosched()
		}
	}
	wait.Wait()
	return nsEach(begin, count)
}

// ---- a wake under load ----

var sink uint64

func burn(step time.Duration) {
	x := atomic.LoadUint64(&sink) + 1
	for end := time.Now().Add(step); time.Now().Before(end); {
		x = x*6364136223846793005 + 1
	}
	atomic.StoreUint64(&sink, x)
}

func late(step time.Duration, sleeps bool, share float64) func(int64) float64 {
	return func(count int64) float64 {
		var stop int32
		var wait sync.WaitGroup
		load := 4 * runtime.GOMAXPROCS(0)
		wait.Add(load)
		for i := 0; i < load; i++ {
			go func() {
				for atomic.LoadInt32(&stop) == 0 {
					burn(step)
					runtime.Gosched()
				}
				wait.Done()
			}()
		}
		box, back := make(chan time.Time, 1), make(chan time.Duration, 1)
		go func() {
			for i := int64(0); i < count && !sleeps; i++ {
				back <- time.Since(<-box)
			}
		}()
		late := make([]time.Duration, count)
		for i := range late {
			if sleeps {
				due := time.Now().Add(time.Millisecond)
				time.Sleep(time.Millisecond)
				late[i] = time.Since(due)
				continue
			}
			time.Sleep(100 * time.Microsecond)
			box <- time.Now()
			late[i] = <-back
		}
		atomic.StoreInt32(&stop, 1)
		wait.Wait()
		sort.Slice(late, func(a, b int) bool { return late[a] < late[b] })
		return float64(late[int64(share*float64(count-1))].Nanoseconds())
	}
}

// ---- work for all processors ----

func queens(n int, all, columns, left, right uint32) int64 {
	if columns == all {
		return 1
	}
	count := int64(0)
	for free := all &^ (columns | left | right); free != 0; {
		bit := free & -free
		free ^= bit
		count += queens(n, all, columns|bit, (left|bit)<<1, (right|bit)>>1)
	}
	return count
}

var solutions = []int64{1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184}

func nqueens(n int64) float64 {
	all := uint32(1)<<n - 1
	begin := time.Now()
	result := make(chan int64, n*n)
	tasks := 0
	for i := int64(0); i < n; i++ {
		a := uint32(1) << i
		for free := all &^ (a | a<<1 | a>>1); free != 0; {
			b := free & -free
			free ^= b
			tasks++
			go func() { result <- queens(int(n), all, a|b, (a<<1|b)<<1, (a>>1|b)>>1) }()
		}
	}
	sum := int64(0)
	for ; tasks > 0; tasks-- {
		sum += <-result
	}
	ms := float64(time.Since(begin).Nanoseconds()) / 1e6
	check("nqueens", sum, solutions[n])
	return ms
}

const leaf = 64

func multiply(c, a, b []float64, n, stride int) {
	if n <= leaf {
		for i := 0; i < n; i++ {
			for k := 0; k < n; k++ {
				x := a[i*stride+k]
				row, to := b[k*stride:k*stride+n], c[i*stride:i*stride+n]
				for j := range row {
					to[j] += x * row[j]
				}
			}
		}
		return
	}
	h := n / 2
	for half := 0; half < 2; half++ { // four quarters at a time, twice
		var wait sync.WaitGroup
		wait.Add(4)
		for q := 0; q < 4; q++ {
			go func(row, column int) {
				multiply(c[row*h*stride+column*h:], a[row*h*stride+half*h:], b[half*h*stride+column*h:], h, stride)
				wait.Done()
			}(q/2, q%2)
		}
		wait.Wait()
	}
}

func matmul(n int64) float64 {
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float64(i%7), float64(i%5)
	}
	begin := time.Now()
	done := make(chan bool)
	go func() { multiply(c, a, b, int(n), int(n)); done <- true }()
	<-done
	ms := float64(time.Since(begin).Nanoseconds()) / 1e6
	at, want := n*(n/3)+n/2, 0.0
	for k := int64(0); k < n; k++ {
		want += a[n*(n/3)+k] * b[k*n+n/2]
	}
	check("matmul", int64(c[at]), int64(want))
	return ms
}

type workload struct {
	name, unit string
	run        func(int64) float64
}

var workloads = []workload{
	{"call_fib", "ns", calls("fib", func() int32 { return fib(32) }, 2178309, 7049155)},
	{"call_tak", "ns", calls("tak", func() int32 { return tak(18, 12, 6) }, 7, 63609)},
	{"call_ackermann", "ns", calls("ackermann", func() int32 { return ackermann(3, 7) }, 1021, 693964)},
	{"yield", "ns", yield},
	{"deep_yield_4", "ns", deep(4)},
	{"deep_yield_8", "ns", deep(8)},
	{"deep_yield_12", "ns", deep(12)},
	{"deep_yield_16", "ns", deep(16)},
	{"deep_yield_20", "ns", deep(20)},
	{"ring", "ns", ring},
	{"ping_pong", "ns", pingPong},
	{"fan_in", "ns", fanIn},
	{"skynet", "ms", skynet},
	{"spawn", "ns", spawn},
	{"yield_two", "ns", yieldTwo},
	{"parked_bytes", "bytes", parked(false)},
	{"parked_own_bytes", "bytes", parked(true)},
	{"select_8", "ns", selectFrom8},
	{"timer_cancel", "ns", timerCancel},
	{"timer_fire", "ns", timerFire},
	{"wake_5us_p50", "ns", late(5*time.Microsecond, false, 0.5)},
	{"wake_5us_p99", "ns", late(5*time.Microsecond, false, 0.99)},
	{"wake_p50", "ns", late(20*time.Microsecond, false, 0.5)},
	{"wake_p99", "ns", late(20*time.Microsecond, false, 0.99)},
	{"wake_p999", "ns", late(20*time.Microsecond, false, 0.999)},
	{"wake_200us_p50", "ns", late(200*time.Microsecond, false, 0.5)},
	{"wake_200us_p99", "ns", late(200*time.Microsecond, false, 0.99)},
	{"wake_1ms_p50", "ns", late(time.Millisecond, false, 0.5)},
	{"wake_1ms_p99", "ns", late(time.Millisecond, false, 0.99)},
	{"wake_5ms_p50", "ns", late(5*time.Millisecond, false, 0.5)},
	{"wake_5ms_p99", "ns", late(5*time.Millisecond, false, 0.99)},
	{"sleep_5us_p50", "ns", late(5*time.Microsecond, true, 0.5)},
	{"sleep_5us_p99", "ns", late(5*time.Microsecond, true, 0.99)},
	{"sleep_200us_p50", "ns", late(200*time.Microsecond, true, 0.5)},
	{"sleep_200us_p99", "ns", late(200*time.Microsecond, true, 0.99)},
	{"sleep_5ms_p50", "ns", late(5*time.Millisecond, true, 0.5)},
	{"sleep_5ms_p99", "ns", late(5*time.Millisecond, true, 0.99)},
	{"nqueens", "ms", nqueens},
	{"matmul", "ms", matmul},
}

func main() {
	arguments := os.Args[1:]
	if len(arguments) == 1 && arguments[0] == "--list" {
		for _, w := range workloads {
			fmt.Println(w.name)
		}
		return
	}
	workers := 1
	if len(arguments) > 2 && arguments[0] == "--workers" {
		workers, _ = strconv.Atoi(arguments[1])
		arguments = arguments[2:]
	}
	size := int64(0)
	if len(arguments) == 2 {
		size, _ = strconv.ParseInt(arguments[1], 10, 64)
	}
	if size < 1 || workers < 1 {
		fmt.Fprintln(os.Stderr, "usage: PROGRAM [--workers N] WORKLOAD SIZE | --list")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(workers)
	for _, w := range workloads {
		if w.name == arguments[0] {
			fmt.Printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"size\": %d}\n", w.name, w.run(size), w.unit, size)
			return
		}
	}
	fmt.Fprintf(os.Stderr, "no workload '%s'\n", arguments[0])
	os.Exit(2)
}
