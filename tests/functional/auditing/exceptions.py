"""Writes that leave no audit entry, each with its reason."""

V1 = "/api/v1"
HAS_WHO = "the record itself says who acknowledged it, and when"
PRIVATE = "a position of the caller's own, which must not be kept for as long as the audit log is"
OWN_WATCH = "the caller's own watch over aircraft nearby, kept with the caller's records"
COMPUTES = "computes an answer and stores nothing"
BY_MACHINE = "recordings come from machines by the thousand; each is stored with its source, time and checksum"
OWN_SUBSCRIPTION = "whether the caller follows a shared rule with channels of their own; nobody else is affected"
EXCEPTIONS = {
    f"POST {V1}/auth/refresh": "programs renew their tokens every few minutes; a token used twice is recorded",
    f"POST {V1}/aircraft/airframes/lookup": COMPUTES,
    "POST /api/0/routeset": COMPUTES,
    "POST /mcp": "its tools only read; each is a call of the API, which records what it has to",
    f"POST {V1}/alerts/rules/test/": COMPUTES,
    f"POST {V1}/alerts/rules/{{id}}/test/": COMPUTES,
    f"POST {V1}/alerts/rules/{{id}}/subscribe/": OWN_SUBSCRIPTION,
    f"DELETE {V1}/alerts/rules/{{id}}/subscribe/": OWN_SUBSCRIPTION,
    f"POST {V1}/alerts/history/{{id}}/acknowledge/": HAS_WHO,
    f"POST {V1}/alerts/history/acknowledge-all/": HAS_WHO,
    f"POST {V1}/safety/events/{{id}}/acknowledge": HAS_WHO,
    f"POST {V1}/audio/transmissions": BY_MACHINE,
    "POST /api/call-upload": BY_MACHINE,
    f"POST {V1}/audio/transmissions/{{id}}/transcribe": "queues a recording for a transcript; nothing stored is lost",
    f"PUT {V1}/cannonball/location/": PRIVATE,
    f"DELETE {V1}/cannonball/location/": PRIVATE,
    f"POST {V1}/cannonball/sessions/{{id}}/end/": OWN_WATCH,
    f"POST {V1}/cannonball/alerts/acknowledge-all/": OWN_WATCH,
    f"POST {V1}/cannonball/alerts/{{id}}/acknowledge/": OWN_WATCH,
    f"POST {V1}/cannonball/alerts/{{id}}/announced/": OWN_WATCH,
    "POST /console/mappings": "a trial of claims: " + COMPUTES,
}
