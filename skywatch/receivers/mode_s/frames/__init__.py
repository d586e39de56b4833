"""What is read of a frame before its content: parity, address, order.

Not here: cutting a stream into frames (`receivers/framing`).
"""
