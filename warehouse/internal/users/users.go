// SPDX-License-Identifier: Apache-2.0

// Package users holds the users of the warehouse with their rights and limits.
package users

import (
	"crypto/sha256"
	"crypto/subtle"
	"strconv"
	"time"
)

// User is one account. A zero limit leaves only the server's own.
type User struct {
	Name     string
	ReadOnly bool
	// MaxMemory is the memory limit of one query, bytes.
	MaxMemory int64
	// MaxTime is the time limit of one query.
	MaxTime time.Duration
	// password is the SHA-256 of the password; the text itself is not kept.
	password [sha256.Size]byte
}

// New creates a user without limits.
func New(name, password string) User {
	return User{Name: name, password: sha256.Sum256([]byte(password))}
}

// Limits returns the user's limits as engine settings with their largest values.
func (u *User) Limits() map[string]string {
	limits := map[string]string{}
	if u.MaxMemory > 0 {
		limits["max_memory_usage"] = strconv.FormatInt(u.MaxMemory, 10)
	}
	if u.MaxTime > 0 {
		limits["max_execution_time"] = strconv.FormatFloat(u.MaxTime.Seconds(), 'f', -1, 64)
	}
	return limits
}

// List is all accounts.
type List []User

// Find returns the user of that name and password, or nil. It takes the same time whether name or password is wrong.
func (l List) Find(name, password string) *User {
	wantName, wantPassword := sha256.Sum256([]byte(name)), sha256.Sum256([]byte(password))
	var found *User
	for i := range l {
		own := sha256.Sum256([]byte(l[i].Name))
		if subtle.ConstantTimeCompare(own[:], wantName[:])&subtle.ConstantTimeCompare(l[i].password[:], wantPassword[:]) == 1 {
			found = &l[i]
		}
	}
	return found
}
