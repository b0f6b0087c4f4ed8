package host

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"nod.dev/nod"
)

// TestMain makes the test binary its own victim: with NOD_JOURNAL set it writes
// records there until somebody kills it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("NOD_JOURNAL"); dir != "" {
		if err := writeForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func writeForEver(dir string) error {
	j, err := OpenFile(dir)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := j.Append(Record{Kind: RecOver, Call: nod.CallID(fmt.Sprint("call_", n)), Reason: "acked"}); err != nil {
			return err
		}
		if n%50 == 49 {
			records, _ := j.Records()
			if err := j.Replace(records); err != nil {
				return err
			}
		}
		fmt.Println(n) // said only once it is durable
	}
}

// TestFileKilled kills a program that writes its journal, again and again: all
// that it had said was written is there.
func TestFileKilled(t *testing.T) {
	for round := range 5 {
		dir, j := create(t)
		j.Close()
		victim := exec.Command(os.Args[0])
		victim.Env = append(os.Environ(), "NOD_JOURNAL="+dir)
		out, err := victim.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		said := -1
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &said); err != nil {
				t.Fatal(err)
			}
			if said >= 60+37*round {
				victim.Process.Kill()
			}
		}
		_ = victim.Wait() // killed
		got := reopen(t, dir)
		if len(got) < said+2 {
			t.Errorf("round %d: %d records are left of %d", round, len(got)-1, said+1)
		}
		for i, r := range got[1:] {
			if want := nod.CallID(fmt.Sprint("call_", i)); r.Call != want {
				t.Fatalf("round %d: record %d is of %s", round, i, r.Call)
			}
		}
	}
}
