"""MQTT 5: the connection to the installation's broker, and what the installation itself publishes there.

Not here: a user's channel by MQTT (`notify/senders/mqtt.py`).
"""
