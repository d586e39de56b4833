"""The bus on NATS: core subjects for what is live, JetStream for what is stored."""
