"""Which permission each page asks for of what the service receives, stores and runs on."""

MANAGE = "system.manage"
SYSTEM_PAGES = (
    ("GET", "/receivers", MANAGE),
    *((method, "/receivers/input", MANAGE) for method in ("GET", "POST")),
    *((method, "/station", MANAGE) for method in ("GET", "POST")),
    *((method, "/retention", MANAGE) for method in ("GET", "POST")),
    ("GET", "/settings", MANAGE),
    ("GET", "/health", MANAGE),
    ("GET", "/software", MANAGE),
)
