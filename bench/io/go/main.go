// main.go - the echo server with Go: a goroutine for each connection.
//
//	server [--compute]     prints its port; --compute: a goroutine computes for ever
package main

import (
	"fmt"
	"net"
	"os"
)

var sink uint

func serve(c net.Conn) {
	defer c.Close()
	buffer := make([]byte, 16384)
	for {
		n, err := c.Read(buffer)
		if n > 0 {
			if _, err := c.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func main() {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if len(os.Args) > 1 && os.Args[1] == "--compute" {
		go func() {
			for {
				sink++
			}
		}()
	}
	for {
		c, err := listener.Accept()
		if err != nil {
			continue
		}
		go serve(c)
	}
}
