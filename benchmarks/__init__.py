"""Skywatch's figures and its peers', in the same run; `make bench` prints them all."""
