// main.go - the client for Go: see measure.h.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	atOnce = 64
	pulled = 100
)

var (
	url     string
	data16  = []byte("sixteen bytes...")
	began   time.Time
	used    time.Duration
	minutes = time.Minute
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func processor() time.Duration {
	var r syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func begin() {
	used = processor()
	began = time.Now()
}

func figures(n int, times []time.Duration) {
	took, cpu := time.Since(began), processor()-used
	fmt.Printf("{\"rate\": %.0f, \"processor\": %.3f", float64(n)/took.Seconds(),
		cpu.Seconds()/float64(n)*1e6)
	if times != nil {
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		fmt.Printf(", \"p50\": %.1f, \"p99\": %.1f", times[n/2].Seconds()*1e6,
			times[n*99/100].Seconds()*1e6)
	}
	fmt.Println("}")
}

func open() *nats.Conn {
	c, err := nats.Connect(url)
	check(err)
	return c
}

func subscribe(c *nats.Conn, subject string, handler nats.MsgHandler) {
	s, err := c.Subscribe(subject, handler)
	check(err)
	check(s.SetPendingLimits(-1, -1))
	check(c.Flush())
}

func pubsub(n, size int) {
	from, to := open(), open()
	all := make(chan bool)
	got := 0
	subscribe(to, "bench.pubsub", func(*nats.Msg) {
		if got++; got == n {
			all <- true
		}
	})
	data := make([]byte, size)
	begin()
	for i := 0; i < n; i++ {
		check(from.Publish("bench.pubsub", data))
	}
	check(from.Flush())
	<-all
	figures(n, nil)
}

func requests(n, at int) {
	from, to := open(), open()
	subscribe(to, "bench.echo", func(m *nats.Msg) { check(m.Respond(m.Data)) })
	n = n / at * at
	times := make([]time.Duration, n)
	var askers sync.WaitGroup
	begin()
	for i := 0; i < at; i++ {
		askers.Add(1)
		go func(mine []time.Duration) {
			for k := range mine {
				before := time.Now()
				_, err := from.Request("bench.echo", data16, minutes)
				check(err)
				mine[k] = time.Since(before)
			}
			askers.Done()
		}(times[i*(n/at) : (i+1)*(n/at)])
	}
	askers.Wait()
	figures(n, times)
}

func pull(n int) {
	c := open()
	js, err := c.JetStream()
	check(err)
	js.DeleteStream("BENCH")
	_, err = js.AddStream(&nats.StreamConfig{Name: "BENCH", Storage: nats.MemoryStorage})
	check(err)
	for i := 0; i < n; i++ {
		check(c.Publish("BENCH", data16))
	}
	check(c.Flush())
	s, err := js.PullSubscribe("BENCH", "bench", nats.MaxAckPending(10000))
	check(err)
	begin()
	for i := 0; i < n; {
		messages, err := s.Fetch(pulled, nats.MaxWait(minutes))
		check(err)
		for _, m := range messages {
			check(m.Ack())
			i++
		}
	}
	check(c.Flush())
	figures(n, nil)
}

func resident() int {
	file, err := os.Open("/proc/self/statm")
	check(err)
	defer file.Close()
	line, err := bufio.NewReader(file).ReadString('\n')
	check(err)
	pages, err := strconv.Atoi(strings.Fields(line)[1])
	check(err)
	return pages * os.Getpagesize()
}

func waiting(n int) {
	from, to := open(), open()
	all := make(chan bool)
	got := 0
	subscribe(to, "bench.silent", func(*nats.Msg) {
		if got++; got == n {
			all <- true
		}
	})
	runtime.GC()
	before := resident()
	for i := 0; i < n; i++ {
		go from.Request("bench.silent", data16, minutes)
	}
	<-all
	time.Sleep(time.Second / 2)
	fmt.Printf("{\"bytes\": %d}\n", (resident()-before)/n)
}

func main() {
	url = os.Args[1]
	n, err := strconv.Atoi(os.Args[3])
	check(err)
	switch os.Args[2] {
	case "pubsub":
		size, err := strconv.Atoi(os.Args[4])
		check(err)
		pubsub(n, size)
	case "request":
		requests(n, 1)
	case "requests":
		requests(n, atOnce)
	case "pull":
		pull(n)
	case "waiting":
		waiting(n)
	}
}
