"""Which permission each page asks for of what the service receives, stores and runs on."""

MANAGE = "system.manage"
SYSTEM_PAGES = (
    ("GET", "/receivers", MANAGE),
    *((method, "/receivers/input", MANAGE) for method in ("GET", "POST")),
    *((method, "/receivers/discovery", MANAGE) for method in ("GET", "POST")),
    *((method, "/station", MANAGE) for method in ("GET", "POST")),
    *((method, "/airframes", MANAGE) for method in ("GET", "POST")),
    *((method, "/airframes/military", MANAGE) for method in ("GET", "POST")),
    *((method, "/backups", MANAGE) for method in ("GET", "POST")),
    *((method, "/maps", MANAGE) for method in ("GET", "POST")),
    *((method, "/maps/base-map", MANAGE) for method in ("GET", "POST")),
    *((method, "/maps/region", MANAGE) for method in ("GET", "POST")),
    *((method, "/retention", MANAGE) for method in ("GET", "POST")),
    *((method, "/thresholds", "safety.manage") for method in ("GET", "POST")),
    ("GET", "/channels", "alerts.manage_all"),
    *((method, "/channels/networks", MANAGE) for method in ("GET", "POST")),
    *((method, "/channels/{channel}", "alerts.manage_all") for method in ("GET", "POST")),
    ("GET", "/known-aircraft", "cannonball.manage"),
    *((method, "/known-aircraft/new", "cannonball.manage") for method in ("GET", "POST")),
    *((method, "/known-aircraft/import", "cannonball.manage") for method in ("GET", "POST")),
    *((method, "/known-aircraft/{known}", "cannonball.manage") for method in ("GET", "POST")),
    ("GET", "/settings", MANAGE),
    *((method, "/settings/{setting}", MANAGE) for method in ("GET", "POST")),
    ("GET", "/health", MANAGE),
    ("GET", "/software", MANAGE),
    ("GET", "/search", "identified"),
)
