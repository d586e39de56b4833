"""From the decoded frames of a second to one report an aircraft, source and lane."""
