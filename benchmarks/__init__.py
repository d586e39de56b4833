"""Skywatch's figures beside its peers', in the same run; `make bench` prints them all."""
