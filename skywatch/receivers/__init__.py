"""Where aircraft come from: kinds of receivers, the decoders that they need, and the streams of feeders.

A receiver turns what it hears into reports and leaves it to the picture to merge them.

Not here: merging what several receivers say (`picture/merging`), and how well they receive (`reception`).
"""
