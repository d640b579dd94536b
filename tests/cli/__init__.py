"""The command line: what each command does, answers and ends with."""
