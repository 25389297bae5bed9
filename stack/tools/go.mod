module github.com/tailrace/tailrace/stack/tools

go 1.26.6
