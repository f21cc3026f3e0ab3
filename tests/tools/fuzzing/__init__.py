"""The parts of `fuzz_programs.py`."""
