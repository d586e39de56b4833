"""From the reports of many receivers to one state of each aircraft: trust, contradictions, admission."""
