"""From the reports of many receivers to one state of each aircraft: admission, trust, contradictions, strangers.

Not here: which position is taken (`picture/positions`), and one report an aircraft out of thousands of feeders
(`receivers/feeder_streams`).
"""
