// main.go - the HTTP server of Go: /plaintext, and files of a folder.
//
//	server FOLDER     prints its port
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
)

func main() {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	hello := []byte("Hello, World!")
	http.HandleFunc("/plaintext", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(hello)
	})
	http.Handle("/", http.FileServer(http.Dir(os.Args[1])))
	http.Serve(listener, nil)
}
