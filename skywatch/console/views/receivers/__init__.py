"""What the installation receives: receivers and inputs, the station, and what is known of airframes."""
