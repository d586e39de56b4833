"""What every input shares, whatever it brings: addresses, reconnection, listening, files, folders, limits and status.

A receiver brings aircraft, an input of another feature brings that feature's messages. This package knows neither: a
feature passes a decoder (bytes in, messages out) and a consumer (takes the messages), and gets back an ``Input``.
"""
