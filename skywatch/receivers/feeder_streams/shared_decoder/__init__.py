"""From the bytes of many connections to decoded frames: what is one transmission, who heard it, in which lane it is."""
