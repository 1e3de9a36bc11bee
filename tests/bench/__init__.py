"""`make bench`: how many polls a read plane answers, beside what its server could at most."""
