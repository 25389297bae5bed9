// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"
)

const (
	tracefs    = "/sys/kernel/tracing"
	oldTracefs = "/sys/kernel/debug/tracing"
)

// Probe holds what is attached. It is never nil after Attach, however little the kernel allowed.
type Probe struct {
	states     []State
	histograms *ebpf.Map
	dropped    *ebpf.Map
	closers    []func() error
}

// Attach loads the object and attaches every feature that this kernel and user may have. What was
// refused is in States, each with its reason; Attach itself does not fail.
func Attach(object []byte) *Probe {
	p := &Probe{}
	spec, maps, err := p.prepare(object)
	for _, feature := range Features() {
		reason := err
		if reason == nil {
			reason = p.attach(spec, maps, feature)
		}
		state := State{Feature: feature}
		if reason != nil {
			state.Reason = oneLine(reason)
		}
		p.states = append(p.states, state)
	}
	return p
}

// States of all features, in the order of Features.
func (p *Probe) States() []State { return p.states }

// Missing names the required features that are not attached and why; empty when the probe is up.
func (p *Probe) Missing() string {
	var missing []string
	for _, s := range p.states {
		if s.Feature.Required && s.Reason != "" {
			missing = append(missing, s.Feature.Name+": "+s.Reason)
		}
	}
	return strings.Join(missing, "; ")
}

// Close detaches everything.
func (p *Probe) Close() error {
	var errs []error
	for _, closer := range slices.Backward(p.closers) {
		errs = append(errs, closer())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// prepare makes the maps that all features share.
func (p *Probe) prepare(object []byte) (*ebpf.CollectionSpec, map[string]*ebpf.Map, error) {
	if err := findTracefs(); err != nil {
		return nil, nil, err
	}
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, nil, fmt.Errorf("the eBPF object cannot be read: %w", err)
	}
	// Kernels before 5.11 count maps as locked memory; where the limit cannot be raised, making the
	// maps has the real reason.
	_ = rlimit.RemoveMemlock()
	maps := make(map[string]*ebpf.Map, len(spec.Maps))
	for name, mapSpec := range spec.Maps {
		if strings.HasPrefix(name, ".") {
			continue // constants: each load brings its own
		}
		made, err := ebpf.NewMap(mapSpec)
		if err != nil {
			return nil, nil, fmt.Errorf("the kernel refuses eBPF map %s (needs root, or CAP_BPF and CAP_PERFMON): %w", name, err)
		}
		p.closers = append(p.closers, made.Close)
		maps[name] = made
	}
	p.histograms, p.dropped = maps["histograms"], maps["dropped"]
	return spec, maps, nil
}

// attach loads only the feature's programs, so that one refusal does not take the others with it.
func (p *Probe) attach(all *ebpf.CollectionSpec, maps map[string]*ebpf.Map, feature Feature) (err error) {
	spec := all.Copy()
	wanted := map[string]bool{}
	for _, point := range feature.Points {
		wanted[point.Program] = true
	}
	for name := range spec.Programs {
		if !wanted[name] {
			delete(spec.Programs, name)
		}
	}
	collection, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{MapReplacements: maps})
	if err != nil {
		return fmt.Errorf("the kernel refuses the program: %w", err)
	}
	p.closers = append(p.closers, func() error { collection.Close(); return nil })
	attached := make([]link.Link, 0, len(feature.Points))
	for _, point := range feature.Points {
		tracepoint, err := link.Tracepoint(point.Group, point.Name, collection.Programs[point.Program], nil)
		if err != nil {
			for _, l := range attached {
				err = errors.Join(err, l.Close())
			}
			return fmt.Errorf("tracepoint %s/%s: %w", point.Group, point.Name, err)
		}
		attached = append(attached, tracepoint)
	}
	for _, l := range attached {
		p.closers = append(p.closers, l.Close)
	}
	return nil
}

// findTracefs mounts the kernel's tracing files at their usual place where nothing has done so yet.
func findTracefs() error {
	for _, dir := range []string{tracefs, oldTracefs} {
		if _, err := os.Stat(dir + "/events"); err == nil {
			return nil
		} else if errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("%s cannot be read (needs root, or CAP_DAC_READ_SEARCH)", dir)
		}
	}
	if err := unix.Mount("nodev", tracefs, "tracefs", 0, ""); errors.Is(err, unix.EPERM) {
		return errors.New("tracefs is not mounted, and mounting it needs root")
	} else if err != nil {
		return fmt.Errorf("tracefs is not mounted and cannot be: %w", err)
	}
	return nil
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}
