// The workloads of threads.c in Go, with its mutex and condition: `go --workers N WORKLOAD SIZE`.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

func each(begin time.Time, count int) float64 {
	return float64(time.Since(begin).Nanoseconds()) / float64(count)
}

func create(count int) float64 {
	begin := time.Now()
	done := make(chan bool)
	for i := 0; i < count; i++ {
		go func() { done <- true }()
		<-done
	}
	return each(begin, count)
}

func resident() float64 {
	var size, pages float64
	file, err := os.Open("/proc/self/statm")
	if err != nil {
		os.Exit(1)
	}
	defer file.Close()
	fmt.Fscan(file, &size, &pages)
	return pages * float64(os.Getpagesize())
}

func waiting(count int) (time.Duration, float64) {
	var lock sync.Mutex
	var all sync.WaitGroup
	changed, there, ready := sync.NewCond(&lock), 0, false
	before, begin := resident(), time.Now()
	for i := 0; i < count; i++ {
		all.Add(1)
		go func() {
			lock.Lock()
			there++
			for !ready {
				changed.Wait()
			}
			lock.Unlock()
			all.Done()
		}()
	}
	for complete := false; !complete; time.Sleep(time.Millisecond) {
		lock.Lock()
		complete = there == count
		lock.Unlock()
	}
	bytes := (resident() - before) / float64(count)
	lock.Lock()
	ready = true
	changed.Broadcast()
	lock.Unlock()
	all.Wait()
	return time.Since(begin), bytes
}

func turns(count int) float64 {
	var lock sync.Mutex
	var both sync.WaitGroup
	changed, turn := sync.NewCond(&lock), 0
	begin := time.Now()
	for me := 0; me < 2; me++ {
		both.Add(1)
		go func(me int) {
			for i := 0; i < count/2; i++ {
				lock.Lock()
				for turn != me {
					changed.Wait()
				}
				turn = 1 - me
				changed.Signal()
				lock.Unlock()
			}
			both.Done()
		}(me)
	}
	both.Wait()
	return each(begin, count)
}

func main() {
	workers, _ := strconv.Atoi(os.Args[2])
	size, _ := strconv.Atoi(os.Args[4])
	runtime.GOMAXPROCS(workers)
	value := 0.0
	switch os.Args[3] {
	case "create":
		value = create(size)
	case "waiting_bytes":
		_, value = waiting(size)
	case "waiting_time":
		took, _ := waiting(size)
		value = float64(took.Nanoseconds()) / float64(size)
	case "turns":
		value = turns(size)
	default:
		os.Exit(2)
	}
	fmt.Printf("{\"name\": \"%s\", \"value\": %.6g, \"size\": %d}\n", os.Args[3], value, size)
}
