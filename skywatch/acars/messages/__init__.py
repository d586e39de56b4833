"""From bursts to messages: the same burst from several stations, repeats, texts in parts; and how they are stored."""
