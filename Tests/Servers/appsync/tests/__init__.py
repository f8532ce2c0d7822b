"""Tests of the server, from outside: `python -m unittest discover -t .. -s tests`."""
