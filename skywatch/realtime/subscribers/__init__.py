"""The sessions of subscribers: who they are, what they subscribe to, and the hub that serves them all."""
