// A worker pool: jobs are tried up to three times; each gives a result or an error.
package main

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

const (
	jobCount = 8
	workers  = 3
)

var (
	errBadJob = errors.New("bad job")
	errBusy   = errors.New("busy")
)

type result struct {
	job, value, attempts int
	err                  error
}

// Jobs divisible by 4 never work, odd ones only at the second attempt.
func attempt(r *result, number int) error {
	r.attempts = number
	time.Sleep(time.Millisecond)
	if r.job%4 == 0 {
		return errBadJob
	}
	if r.job%2 == 1 && number < 2 {
		return errBusy
	}
	r.value = r.job * r.job
	return nil
}

func retry(attempts int, delay time.Duration, f func(number int) error) error {
	for number := 1; ; number++ {
		err := f(number)
		if err == nil || number == attempts {
			return err
		}
		time.Sleep(delay/2 + time.Duration(rand.Int63n(int64(delay/2))))
		delay *= 2
	}
}

func worker(jobs <-chan int, results chan<- result) {
	for job := range jobs {
		r := result{job: job}
		r.err = retry(3, time.Millisecond, func(number int) error {
			return attempt(&r, number)
		})
		results <- r
	}
}

func pool(jobs chan int, results chan<- result) {
	var wg sync.WaitGroup
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			worker(jobs, results)
		}()
	}
	for i := 1; i <= jobCount; i++ {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	close(results)
}

func main() {
	jobs := make(chan int, 2)
	results := make(chan result, 2)
	var all [jobCount + 1]result
	go pool(jobs, results)
	for r := range results {
		all[r.job] = r
	}
	for i := 1; i <= jobCount; i++ {
		if all[i].err != nil {
			fmt.Printf("job %d: error %v after %d attempts\n", i, all[i].err, all[i].attempts)
		} else {
			fmt.Printf("job %d: %d after %d attempts\n", i, all[i].value, all[i].attempts)
		}
	}
	fmt.Println("pool: done")
}
