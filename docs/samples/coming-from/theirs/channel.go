/* channel.go - channel.c in Go. */
package main

import "fmt"

func work(in <-chan int, out chan<- int) {
	for n := range in {
		out <- n * n
	}
}

func main() {
	in, out := make(chan int, 4), make(chan int, 4)
	go work(in, out)
	go work(in, out)
	for i := 1; i <= 4; i++ {
		in <- i
	}
	close(in)
	sum := 0
	for i := 1; i <= 4; i++ {
		sum += <-out
	}
	fmt.Println(sum)
}
