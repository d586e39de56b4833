"""The schema of the first releases. The steps that led to it are in Skywatch 0.1.0, which upgrades older databases.

Revision ID: 0028
Revises:
"""

from alembic import op

revision = "0028"
down_revision = None
branch_labels = None
depends_on = None

# What the two databases write differently. SQLite gives an id twice unless its key is AUTOINCREMENT.
TYPES = {
    "sqlite": {
        "new_id": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
        "id": "INTEGER",
        "once": " AUTOINCREMENT",
        "bigint": "INTEGER",
        "double": "DOUBLE",
        "time": "DATETIME",
        "flight_time": "BIGINT",
        "json": "JSON",
        "bytes": "BLOB",
        "false": "0",
        "channel_secrets": "",
        "browser_secret": "",
    },
    "postgresql": {
        "new_id": "BIGSERIAL NOT NULL CONSTRAINT pk_{table} PRIMARY KEY",
        "id": "BIGSERIAL",
        "once": "",
        "bigint": "BIGINT",
        "double": "DOUBLE PRECISION",
        "time": "TIMESTAMP WITH TIME ZONE",
        "flight_time": "TIMESTAMP WITH TIME ZONE",
        "json": "JSONB",
        "bytes": "BYTEA",
        "false": "false",
        "channel_secrets": "secret TEXT NOT NULL, previous_secret TEXT NOT NULL, ",
        "browser_secret": "auth_secret TEXT NOT NULL,",
    },
}
# Tables in an order in which each refers only to those above it.
TABLES = {
    "users": """
        id {new_id}, username VARCHAR(64) NOT NULL, username_key VARCHAR(64) NOT NULL, email VARCHAR(254) NOT NULL,
        email_key VARCHAR(254), display_name VARCHAR(120) NOT NULL, password_hash VARCHAR(255),
        is_active BOOLEAN NOT NULL, auth_provider VARCHAR(32) NOT NULL, preferences {json} NOT NULL,
        created_at {time} NOT NULL, updated_at {time} NOT NULL, last_login {time},
        email_self_given BOOLEAN DEFAULT {false} NOT NULL,
        CONSTRAINT uq_users_username_key UNIQUE (username_key),
        CONSTRAINT uq_users_email_key UNIQUE (email_key)
    """,
    "roles": """
        id {new_id}, name VARCHAR(64) NOT NULL, display_name VARCHAR(120) NOT NULL, description VARCHAR(1000) NOT NULL,
        permissions {json} NOT NULL, priority INTEGER NOT NULL, is_system BOOLEAN NOT NULL, created_at {time} NOT NULL,
        updated_at {time} NOT NULL,
        CONSTRAINT uq_roles_name UNIQUE (name)
    """,
    "user_roles": """
        id {new_id}, user_id {bigint} NOT NULL, role_id {bigint} NOT NULL, source VARCHAR(16) NOT NULL,
        expires_at {time}, assigned_by {bigint}, created_at {time} NOT NULL,
        CONSTRAINT uq_user_roles_user_id_role_id_source UNIQUE (user_id, role_id, source),
        CONSTRAINT fk_user_roles_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_user_roles_role_id_roles FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE,
        CONSTRAINT fk_user_roles_assigned_by_users FOREIGN KEY (assigned_by) REFERENCES users (id) ON DELETE SET NULL
    """,
    "logins": """
        id VARCHAR(32) NOT NULL, user_id {bigint} NOT NULL, method VARCHAR(16) NOT NULL,
        refresh_id VARCHAR(32) NOT NULL, network VARCHAR(64), created_at {time} NOT NULL, expires_at {time} NOT NULL,
        ended_at {time}, ended_reason VARCHAR(32),
        CONSTRAINT pk_logins PRIMARY KEY (id),
        CONSTRAINT fk_logins_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "api_keys": """
        id {new_id}, user_id {bigint} NOT NULL, name VARCHAR(120) NOT NULL, key_prefix VARCHAR(16) NOT NULL,
        key_hash VARCHAR(64) NOT NULL, scopes {json} NOT NULL, created_at {time} NOT NULL, expires_at {time},
        last_used_at {time},
        CONSTRAINT uq_api_keys_key_hash UNIQUE (key_hash),
        CONSTRAINT fk_api_keys_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "password_resets": """
        token_hash VARCHAR(64) NOT NULL, user_id {bigint} NOT NULL, created_by {bigint}, created_at {time} NOT NULL,
        expires_at {time} NOT NULL,
        CONSTRAINT pk_password_resets PRIMARY KEY (token_hash),
        CONSTRAINT fk_password_resets_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_password_resets_created_by_users FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT uq_password_resets_user_id UNIQUE (user_id)
    """,
    "feature_access": """
        feature VARCHAR(32) NOT NULL, read_access VARCHAR(16) NOT NULL, write_access VARCHAR(16) NOT NULL,
        is_enabled BOOLEAN NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT pk_feature_access PRIMARY KEY (feature)
    """,
    "access_version": """
        id INTEGER NOT NULL, version {bigint} NOT NULL,
        CONSTRAINT pk_access_version PRIMARY KEY (id)
    """,
    "audit_entries": """
        id {id} NOT NULL, at {time} NOT NULL, action VARCHAR(64) NOT NULL, actor_id {bigint},
        actor_name VARCHAR(254) NOT NULL, method VARCHAR(16) NOT NULL, address VARCHAR(64), request_id VARCHAR(128),
        target_type VARCHAR(32), target_id VARCHAR(64), target_name VARCHAR(254), "before" {json}, "after" {json},
        CONSTRAINT pk_audit_entries PRIMARY KEY (id)
    """,
    "external_identities": """
        id {new_id}, user_id {bigint} NOT NULL, issuer VARCHAR(512) NOT NULL, subject VARCHAR(255) NOT NULL,
        created_at {time} NOT NULL, last_login {time} NOT NULL,
        CONSTRAINT uq_external_identities_issuer_subject UNIQUE (issuer, subject),
        CONSTRAINT fk_external_identities_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "claim_mappings": """
        id {new_id}, name VARCHAR(120) NOT NULL, claim_name VARCHAR(200) NOT NULL, match_type VARCHAR(16) NOT NULL,
        claim_value VARCHAR(500) NOT NULL, role_id {bigint} NOT NULL, provider VARCHAR(32), priority INTEGER NOT NULL,
        is_active BOOLEAN NOT NULL, created_at {time} NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT uq_claim_mappings_name UNIQUE (name),
        CONSTRAINT fk_claim_mappings_role_id_roles FOREIGN KEY (role_id) REFERENCES roles (id) ON DELETE CASCADE
    """,
    "pending_logins": """
        state_hash VARCHAR(64) NOT NULL, browser_hash VARCHAR(64) NOT NULL, provider VARCHAR(32) NOT NULL,
        redirect_uri VARCHAR(1024) NOT NULL, opener_origin VARCHAR(300) NOT NULL, nonce VARCHAR(64) NOT NULL,
        verifier VARCHAR(128) NOT NULL, created_at {time} NOT NULL, expires_at {time} NOT NULL,
        CONSTRAINT pk_pending_logins PRIMARY KEY (state_hash)
    """,
    "external_logins": """
        login_id VARCHAR(32) NOT NULL, provider VARCHAR(32) NOT NULL, issuer VARCHAR(512) NOT NULL,
        subject VARCHAR(255) NOT NULL, session_id VARCHAR(255), id_token TEXT NOT NULL,
        CONSTRAINT pk_external_logins PRIMARY KEY (login_id),
        CONSTRAINT fk_external_logins_login_id_logins FOREIGN KEY (login_id) REFERENCES logins (id) ON DELETE CASCADE
    """,
    "used_logout_tokens": """
        token_hash VARCHAR(64) NOT NULL, expires_at {time} NOT NULL,
        CONSTRAINT pk_used_logout_tokens PRIMARY KEY (token_hash)
    """,
    "stored_settings": """
        name VARCHAR(100) NOT NULL, value TEXT NOT NULL, sealed BOOLEAN NOT NULL, updated_at {time} NOT NULL,
        updated_by VARCHAR(254) NOT NULL,
        CONSTRAINT pk_stored_settings PRIMARY KEY (name)
    """,
    "health_changes": """
        id {id} NOT NULL, at {time} NOT NULL, part VARCHAR(64) NOT NULL, "before" VARCHAR(16) NOT NULL,
        "after" VARCHAR(16) NOT NULL, reason VARCHAR(500) NOT NULL,
        CONSTRAINT pk_health_changes PRIMARY KEY (id)
    """,
    "events": """
        id {new_id}, at {time} NOT NULL, topic VARCHAR(64) NOT NULL, event VARCHAR(64) NOT NULL,
        message {bytes} NOT NULL
    """,
    "writer_batches": """
        writer VARCHAR(64) NOT NULL, batch BIGINT NOT NULL, at {time} NOT NULL,
        CONSTRAINT pk_writer_batches PRIMARY KEY (writer)
    """,
    "fencing_tokens": """
        name VARCHAR(64) NOT NULL, token VARCHAR(64) NOT NULL, taken_at {time} NOT NULL,
        CONSTRAINT pk_fencing_tokens PRIMARY KEY (name)
    """,
    "picture_state": """
        name VARCHAR(64) NOT NULL, saved_at {time} NOT NULL, data {bytes} NOT NULL,
        CONSTRAINT pk_picture_state PRIMARY KEY (name)
    """,
    "airframes": """
        icao_hex VARCHAR(6) NOT NULL, source VARCHAR(16) NOT NULL, registration VARCHAR(20) NOT NULL,
        type_code VARCHAR(8) NOT NULL, type_name VARCHAR(120) NOT NULL, operator VARCHAR(120) NOT NULL,
        owner VARCHAR(120) NOT NULL, year SMALLINT NOT NULL, flags SMALLINT NOT NULL,
        CONSTRAINT pk_airframes PRIMARY KEY (icao_hex, source)
    """,
    "airframe_imports": """
        source VARCHAR(16) NOT NULL, imported_at {time} NOT NULL, aircraft INTEGER NOT NULL, refused INTEGER NOT NULL,
        CONSTRAINT pk_airframe_imports PRIMARY KEY (source)
    """,
    "history_flights": """
        id {id} NOT NULL, icao_hex VARCHAR(7) NOT NULL, callsign VARCHAR(8), registration VARCHAR(12),
        aircraft_type VARCHAR(4), operator VARCHAR(128), category VARCHAR(2), squawk VARCHAR(4),
        military BOOLEAN NOT NULL, emergency BOOLEAN NOT NULL, active BOOLEAN NOT NULL,
        first_seen_at {flight_time} NOT NULL, last_seen_at {flight_time} NOT NULL, messages BIGINT NOT NULL,
        positions INTEGER NOT NULL, points INTEGER NOT NULL, min_altitude_ft INTEGER, max_altitude_ft INTEGER,
        max_speed_kt INTEGER, distance_nm INTEGER NOT NULL, min_distance_nm INTEGER, max_distance_nm INTEGER,
        first_lat INTEGER, first_lon INTEGER, last_lat INTEGER, last_lon INTEGER,
        CONSTRAINT pk_history_flights PRIMARY KEY (id)
    """,
    "history_chunks": """
        id {id} NOT NULL, slice_at BIGINT NOT NULL, shard SMALLINT NOT NULL, aircraft INTEGER NOT NULL,
        points INTEGER NOT NULL, data {bytes} NOT NULL,
        CONSTRAINT pk_history_chunks PRIMARY KEY (id)
    """,
    "history_tail": """
        id {id} NOT NULL, written_at {time} NOT NULL, points {bytes} NOT NULL, ends {bytes} NOT NULL,
        CONSTRAINT pk_history_tail PRIMARY KEY (id)
    """,
    "acars_messages": """
        id {new_id}, at {time} NOT NULL, received_at {time} NOT NULL, source VARCHAR(16) NOT NULL,
        station VARCHAR(64) NOT NULL, frequency_mhz {double}, level_db {double}, icao_hex VARCHAR(6),
        registration VARCHAR(12), flight VARCHAR(8), callsign VARCHAR(8), flight_id BIGINT, label VARCHAR(2) NOT NULL,
        sublabel VARCHAR(2), block_id VARCHAR(1), message_number VARCHAR(8), direction VARCHAR(8), text TEXT NOT NULL,
        incomplete BOOLEAN NOT NULL, decoded {json}, kind VARCHAR(32), lat {double}, lon {double}, altitude_ft INTEGER,
        heard_by {json} NOT NULL, repeats INTEGER NOT NULL, military BOOLEAN NOT NULL, search_text TEXT NOT NULL,
        raw {json} NOT NULL
    """,
    "acars_files": """
        input VARCHAR(64) NOT NULL, position {json} NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT pk_acars_files PRIMARY KEY (input)
    """,
    "audio_recordings": """
        sha256 VARCHAR(64) NOT NULL, path VARCHAR(120) NOT NULL, media_type VARCHAR(16) NOT NULL, bytes BIGINT NOT NULL,
        duration_s {double} NOT NULL, peak_db {double}, loudness_lufs {double}, waveform {bytes} NOT NULL,
        is_truncated BOOLEAN NOT NULL, stored_at {time} NOT NULL,
        CONSTRAINT pk_audio_recordings PRIMARY KEY (sha256)
    """,
    "audio_transmissions": """
        id {new_id}, at {time} NOT NULL, received_at {time} NOT NULL, channel VARCHAR(120) NOT NULL,
        frequency_hz BIGINT, source VARCHAR(80) NOT NULL, sha256 VARCHAR(64) NOT NULL, duration_s {double} NOT NULL,
        bytes BIGINT NOT NULL, flags {json} NOT NULL, status VARCHAR(12) NOT NULL, reason VARCHAR(200), transcript TEXT,
        segments {json} NOT NULL, icao_hex VARCHAR(7), callsign VARCHAR(8), military BOOLEAN NOT NULL,
        attempts INTEGER NOT NULL, next_at {time}, lease VARCHAR(32), leased_until {time},
        CONSTRAINT fk_audio_transmissions_sha256_audio_recordings FOREIGN KEY (sha256)
            REFERENCES audio_recordings (sha256)
    """,
    "audio_folder_entries": """
        "key" VARCHAR(64) NOT NULL, stamp VARCHAR(64) NOT NULL, seen_at {time} NOT NULL,
        CONSTRAINT pk_audio_folder_entries PRIMARY KEY ("key")
    """,
    "alert_rules": """
        id {id} NOT NULL, user_id {bigint} NOT NULL, name VARCHAR(120) NOT NULL, description TEXT NOT NULL,
        enabled BOOLEAN NOT NULL, priority VARCHAR(8) NOT NULL, conditions {json} NOT NULL, for_s {double} NOT NULL,
        cooldown_s INTEGER NOT NULL, count {json}, starts_at {time}, expires_at {time}, quiet_hours {json} NOT NULL,
        channels {json} NOT NULL, visibility VARCHAR(8) NOT NULL, message TEXT NOT NULL, mqtt BOOLEAN NOT NULL,
        revision INTEGER NOT NULL, adopted_revision INTEGER NOT NULL, created_at {time} NOT NULL,
        updated_at {time} NOT NULL,
        CONSTRAINT pk_alert_rules PRIMARY KEY (id{once}),
        CONSTRAINT fk_alert_rules_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "alert_subscriptions": """
        rule_id {bigint} NOT NULL, user_id {bigint} NOT NULL, channels {json} NOT NULL, created_at {time} NOT NULL,
        CONSTRAINT pk_alert_subscriptions PRIMARY KEY (rule_id, user_id),
        CONSTRAINT fk_alert_subscriptions_rule_id_alert_rules FOREIGN KEY (rule_id)
            REFERENCES alert_rules (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_subscriptions_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "alert_geofences": """
        id {id} NOT NULL, user_id {bigint} NOT NULL, name VARCHAR(120) NOT NULL, geometry {json} NOT NULL,
        floor_ft {double}, ceiling_ft {double}, revision INTEGER NOT NULL, created_at {time} NOT NULL,
        updated_at {time} NOT NULL,
        CONSTRAINT pk_alert_geofences PRIMARY KEY (id{once}),
        CONSTRAINT fk_alert_geofences_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "alert_watchlists": """
        id {id} NOT NULL, user_id {bigint} NOT NULL, name VARCHAR(120) NOT NULL, entries TEXT NOT NULL,
        entry_count INTEGER NOT NULL, revision INTEGER NOT NULL, created_at {time} NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT pk_alert_watchlists PRIMARY KEY (id{once}),
        CONSTRAINT fk_alert_watchlists_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "alerts": """
        id {id} NOT NULL, user_id {bigint}, rule_id {bigint}, rule_name VARCHAR(120) NOT NULL,
        priority VARCHAR(8) NOT NULL, icao_hex VARCHAR(7), callsign VARCHAR(8), registration VARCHAR(12),
        message TEXT NOT NULL, aircraft {json} NOT NULL, matched {json} NOT NULL, geofence VARCHAR(120), count INTEGER,
        military BOOLEAN NOT NULL, triggered_at {time} NOT NULL, cleared_at {time}, acknowledged BOOLEAN NOT NULL,
        acknowledged_by VARCHAR(254), acknowledged_at {time},
        CONSTRAINT pk_alerts PRIMARY KEY (id{once}),
        CONSTRAINT fk_alerts_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT fk_alerts_rule_id_alert_rules FOREIGN KEY (rule_id) REFERENCES alert_rules (id) ON DELETE SET NULL
    """,
    "alert_matches": """
        rule_id {bigint} NOT NULL, user_id {bigint} NOT NULL, icao_hex VARCHAR(7) NOT NULL, matching BOOLEAN NOT NULL,
        fired_at {time}, alert_id {bigint}, updated_at {time} NOT NULL,
        CONSTRAINT pk_alert_matches PRIMARY KEY (rule_id, user_id, icao_hex),
        CONSTRAINT fk_alert_matches_rule_id_alert_rules FOREIGN KEY (rule_id)
            REFERENCES alert_rules (id) ON DELETE CASCADE,
        CONSTRAINT fk_alert_matches_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "alert_revision": """
        id INTEGER NOT NULL, revision BIGINT NOT NULL,
        CONSTRAINT pk_alert_revision PRIMARY KEY (id)
    """,
    "safety_events": """
        id {new_id}, type VARCHAR(32) NOT NULL, severity VARCHAR(16) NOT NULL, "key" VARCHAR(160) NOT NULL,
        active_key VARCHAR(200), icao_hex VARCHAR(7), icao_hex_2 VARCHAR(7), hexes {json} NOT NULL,
        callsigns {json} NOT NULL, message VARCHAR(300) NOT NULL, began_at {time} NOT NULL, last_at {time} NOT NULL,
        ended_at {time}, numbers {json} NOT NULL, lat {double}, lon {double}, altitude_ft INTEGER, closest {json},
        suppressed_by {json} NOT NULL, held_back BOOLEAN NOT NULL, military BOOLEAN NOT NULL,
        acknowledged BOOLEAN NOT NULL, acknowledged_by VARCHAR(254), acknowledged_at {time},
        CONSTRAINT uq_safety_events_active_key UNIQUE (active_key)
    """,
    "safety_thresholds": """
        name VARCHAR(64) NOT NULL, value {double} NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT pk_safety_thresholds PRIMARY KEY (name)
    """,
    "safety_places": """
        y INTEGER NOT NULL, x INTEGER NOT NULL, levels {json} NOT NULL, runway_lat {double}, runway_lon {double},
        runway_visits INTEGER NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT pk_safety_places PRIMARY KEY (y, x)
    """,
    "safety_regions": """
        id {new_id}, region VARCHAR(64) NOT NULL, from_at {time} NOT NULL, until_at {time} NOT NULL,
        cell_deg {double} NOT NULL, cells {json} NOT NULL, bad INTEGER NOT NULL, good INTEGER NOT NULL,
        military BOOLEAN NOT NULL
    """,
    "cannonball_known_aircraft": """
        id {id} NOT NULL, icao_hex VARCHAR(6) NOT NULL, registration VARCHAR(12) NOT NULL,
        aircraft_type VARCHAR(8) NOT NULL, aircraft_model VARCHAR(120) NOT NULL, agency_name VARCHAR(160) NOT NULL,
        agency_type VARCHAR(10) NOT NULL, agency_state VARCHAR(2) NOT NULL, agency_city VARCHAR(80) NOT NULL,
        source VARCHAR(10) NOT NULL, source_url VARCHAR(500) NOT NULL, verified BOOLEAN NOT NULL, verified_at {time},
        times_detected INTEGER NOT NULL, last_detected {time}, notes TEXT NOT NULL, created_at {time} NOT NULL,
        updated_at {time} NOT NULL, edited_fields {json} NOT NULL, revision BIGINT NOT NULL,
        CONSTRAINT pk_cannonball_known_aircraft PRIMARY KEY (id{once}),
        CONSTRAINT uq_cannonball_known_aircraft_icao_hex UNIQUE (icao_hex)
    """,
    "cannonball_known_revision": """
        id INTEGER NOT NULL, revision BIGINT NOT NULL,
        CONSTRAINT pk_cannonball_known_revision PRIMARY KEY (id)
    """,
    "cannonball_known_removals": """
        id {id} NOT NULL, icao_hex VARCHAR(6) NOT NULL, revision BIGINT NOT NULL,
        CONSTRAINT pk_cannonball_known_removals PRIMARY KEY (id)
    """,
    "cannonball_sessions": """
        id {id} NOT NULL, user_id {bigint} NOT NULL, icao_hex VARCHAR(7) NOT NULL, callsign VARCHAR(8) NOT NULL,
        military BOOLEAN NOT NULL, identification VARCHAR(10) NOT NULL, known_aircraft_id {bigint},
        agency_name VARCHAR(160) NOT NULL, is_active BOOLEAN NOT NULL, threat_level VARCHAR(8) NOT NULL,
        peak_threat_level VARCHAR(8) NOT NULL, urgency_score {double} NOT NULL, peak_urgency_score {double} NOT NULL,
        distance_nm {double} NOT NULL, closest_nm {double} NOT NULL, bearing {double} NOT NULL,
        closing_speed_kts {double} NOT NULL, started_at {time} NOT NULL, last_seen {time} NOT NULL, ended_at {time},
        end_reason VARCHAR(24), pattern_count INTEGER NOT NULL, alert_count INTEGER NOT NULL,
        CONSTRAINT pk_cannonball_sessions PRIMARY KEY (id{once}),
        CONSTRAINT fk_cannonball_sessions_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT fk_cannonball_sessions_known_aircraft_id FOREIGN KEY (known_aircraft_id)
            REFERENCES cannonball_known_aircraft (id) ON DELETE SET NULL
    """,
    "cannonball_patterns": """
        id {id} NOT NULL, "key" VARCHAR(80) NOT NULL, icao_hex VARCHAR(7) NOT NULL, callsign VARCHAR(8) NOT NULL,
        military BOOLEAN NOT NULL, pattern_type VARCHAR(20) NOT NULL, is_surveillance BOOLEAN NOT NULL,
        confidence VARCHAR(8) NOT NULL, confidence_score {double} NOT NULL, center_lat {double} NOT NULL,
        center_lon {double} NOT NULL, radius_nm {double} NOT NULL, started_at {time} NOT NULL, ended_at {time},
        duration_s {double} NOT NULL, details {json} NOT NULL,
        CONSTRAINT pk_cannonball_patterns PRIMARY KEY (id{once}),
        CONSTRAINT uq_cannonball_patterns_key UNIQUE ("key")
    """,
    "cannonball_session_patterns": """
        session_id {bigint} NOT NULL, pattern_id {bigint} NOT NULL,
        CONSTRAINT pk_cannonball_session_patterns PRIMARY KEY (session_id, pattern_id),
        CONSTRAINT fk_cannonball_session_patterns_session_id_cannonball_sessions FOREIGN KEY (session_id)
            REFERENCES cannonball_sessions (id) ON DELETE CASCADE,
        CONSTRAINT fk_cannonball_session_patterns_pattern_id_cannonball_patterns FOREIGN KEY (pattern_id)
            REFERENCES cannonball_patterns (id) ON DELETE CASCADE
    """,
    "cannonball_alerts": """
        id {id} NOT NULL, user_id {bigint} NOT NULL, session_id {bigint} NOT NULL, pattern_id {bigint},
        session_icao VARCHAR(7) NOT NULL, session_callsign VARCHAR(8) NOT NULL, military BOOLEAN NOT NULL,
        alert_type VARCHAR(20) NOT NULL, priority VARCHAR(8) NOT NULL, title VARCHAR(200) NOT NULL,
        message TEXT NOT NULL, aircraft_lat {double} NOT NULL, aircraft_lon {double} NOT NULL,
        aircraft_altitude INTEGER, user_lat {double} NOT NULL, user_lon {double} NOT NULL,
        distance_nm {double} NOT NULL, bearing {double} NOT NULL, notified BOOLEAN NOT NULL, announced BOOLEAN NOT NULL,
        acknowledged BOOLEAN NOT NULL, acknowledged_at {time}, created_at {time} NOT NULL,
        CONSTRAINT pk_cannonball_alerts PRIMARY KEY (id{once}),
        CONSTRAINT fk_cannonball_alerts_session_id_cannonball_sessions FOREIGN KEY (session_id)
            REFERENCES cannonball_sessions (id) ON DELETE CASCADE,
        CONSTRAINT fk_cannonball_alerts_pattern_id_cannonball_patterns FOREIGN KEY (pattern_id)
            REFERENCES cannonball_patterns (id) ON DELETE SET NULL,
        CONSTRAINT fk_cannonball_alerts_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "notify_channels": """
        id {new_id}, user_id {bigint} NOT NULL, name VARCHAR(120) NOT NULL, kind VARCHAR(16) NOT NULL,
        address TEXT NOT NULL, {channel_secrets}previous_secret_until {time},
        sources {json} NOT NULL, enabled BOOLEAN NOT NULL, minimum_priority VARCHAR(8) NOT NULL,
        rate_per_minute INTEGER NOT NULL, digest_s INTEGER, send_cleared BOOLEAN NOT NULL, state VARCHAR(8) NOT NULL,
        failures INTEGER NOT NULL, last_success_at {time}, last_error VARCHAR(200), last_error_at {time},
        lease VARCHAR(32), leased_until {time}, paused_until {time}, window_at {time}, window_count INTEGER NOT NULL,
        over_rate BOOLEAN NOT NULL, created_at {time} NOT NULL, updated_at {time} NOT NULL,
        CONSTRAINT fk_notify_channels_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "notify_deliveries": """
        id {new_id}, message_id VARCHAR(40) NOT NULL, channel_id {bigint} NOT NULL, user_id {bigint} NOT NULL,
        kind VARCHAR(16) NOT NULL, event VARCHAR(40) NOT NULL, subject_id {bigint}, rule_id {bigint},
        priority VARCHAR(8) NOT NULL, military BOOLEAN NOT NULL, title VARCHAR(200) NOT NULL, text TEXT NOT NULL,
        body {json} NOT NULL, at {time} NOT NULL, state VARCHAR(10) NOT NULL, attempts INTEGER NOT NULL, next_at {time},
        expires_at {time} NOT NULL, batch VARCHAR(40), reached {json} NOT NULL, last_error VARCHAR(200),
        created_at {time} NOT NULL, delivered_at {time},
        CONSTRAINT uq_notify_deliveries_message_id UNIQUE (message_id),
        CONSTRAINT fk_notify_deliveries_channel_id_notify_channels FOREIGN KEY (channel_id)
            REFERENCES notify_channels (id) ON DELETE CASCADE,
        CONSTRAINT fk_notify_deliveries_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "notify_browsers": """
        id {new_id}, user_id {bigint} NOT NULL, name VARCHAR(120) NOT NULL, endpoint TEXT NOT NULL,
        endpoint_hash VARCHAR(64) NOT NULL, public_key VARCHAR(120) NOT NULL, {browser_secret}
        created_at {time} NOT NULL, last_success_at {time},
        CONSTRAINT uq_notify_browsers_endpoint_hash UNIQUE (endpoint_hash),
        CONSTRAINT fk_notify_browsers_user_id_users FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
    """,
    "notify_keys": """
        name VARCHAR(32) NOT NULL, private_key TEXT NOT NULL, created_at {time} NOT NULL,
        CONSTRAINT pk_notify_keys PRIMARY KEY (name)
    """,
    "notify_publishers": """
        name VARCHAR(32) NOT NULL, position {bigint} NOT NULL, announced {json} NOT NULL, lease VARCHAR(32),
        leased_until {time},
        CONSTRAINT pk_notify_publishers PRIMARY KEY (name)
    """,
}
# The columns of indexes that are the same on both databases; their names follow from the columns.
INDEXES = {
    "user_roles": ["role_id", "assigned_by"],
    "logins": ["user_id network", "expires_at"],
    "api_keys": ["user_id"],
    "password_resets": ["created_by"],
    "audit_entries": [
        "at",
        "action at",
        "actor_id at",
        "actor_name at",
        "address at",
        "target_id at",
        "target_type at",
    ],
    "external_identities": ["user_id"],
    "claim_mappings": ["role_id"],
    "pending_logins": ["browser_hash", "expires_at"],
    "external_logins": ["issuer subject"],
    "used_logout_tokens": ["expires_at"],
    "health_changes": ["at"],
    "events": ["at"],
    "airframes": ["registration"],
    "history_flights": ["first_seen_at military emergency active", "icao_hex first_seen_at"],
    "history_chunks": ["slice_at", "shard slice_at"],
    "acars_messages": ["at", "icao_hex at", "registration", "label"],
    "audio_transmissions": ["at", "channel at", "sha256", "status at", "icao_hex"],
    "audio_folder_entries": ["stamp"],
    "alert_rules": ["user_id"],
    "alert_subscriptions": ["user_id"],
    "alert_geofences": ["user_id"],
    "alert_watchlists": ["user_id"],
    "alerts": ["triggered_at", "user_id triggered_at", "rule_id triggered_at", "icao_hex triggered_at"],
    "alert_matches": ["updated_at"],
    "safety_events": ["began_at id", "icao_hex", "ended_at"],
    "safety_regions": ["from_at"],
    "cannonball_known_aircraft": ["revision"],
    "cannonball_known_removals": ["revision"],
    "cannonball_sessions": [
        "user_id is_active",
        "user_id started_at",
        "icao_hex",
        "known_aircraft_id",
        "is_active",
        "started_at",
    ],
    "cannonball_patterns": ["icao_hex", "started_at", "ended_at"],
    "cannonball_session_patterns": ["pattern_id"],
    "cannonball_alerts": ["user_id created_at", "session_id", "pattern_id", "created_at"],
    "notify_channels": ["user_id"],
    "notify_deliveries": [
        "state next_at",
        "channel_id state",
        "kind subject_id",
        "user_id created_at",
        "rule_id",
        "batch",
        "created_at",
    ],
    "notify_browsers": ["user_id"],
}
ROWS = ("access_version VALUES (1, 0)", "alert_revision VALUES (1, 1)", "cannonball_known_revision VALUES (1, 0)")
# Searches for flights; on PostgreSQL these indexes also serve searches for the beginning of a text.
FLIGHT_INDEXES = {
    "callsign": ", first_seen_at, military",
    "registration": ", first_seen_at",
    "aircraft_type": ", first_seen_at, military",
}

# SQLite: the words of ACARS messages, and the same words with the block of ids that their message is in. See
# skywatch.acars.search.full_text.
ADD_WORDS = """
INSERT INTO acars_search(rowid, search_text) VALUES (new.id, new.search_text);
INSERT INTO acars_search_blocks(rowid, words)
VALUES (new.id, replace(' ' || new.search_text, ' ', ' b' || (new.id >> 13) || 'x'));
"""
REMOVE_WORDS = """
INSERT INTO acars_search(acars_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);
INSERT INTO acars_search_blocks(acars_search_blocks, rowid, words)
VALUES ('delete', old.id, replace(' ' || old.search_text, ' ', ' b' || (old.id >> 13) || 'x'));
"""
TOKENIZER = "tokenize='unicode61 remove_diacritics 0'"
SQLITE = (
    # Where the steps before this baseline put these columns.
    "ALTER TABLE notify_channels ADD COLUMN secret TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE notify_channels ADD COLUMN previous_secret TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE notify_browsers ADD COLUMN auth_secret TEXT DEFAULT '' NOT NULL",
    f"""CREATE VIRTUAL TABLE acars_search
        USING fts5(search_text, content='acars_messages', content_rowid='id', {TOKENIZER})""",
    f"CREATE VIRTUAL TABLE acars_search_blocks USING fts5(words, content='', {TOKENIZER})",
    f"CREATE TRIGGER acars_search_insert AFTER INSERT ON acars_messages BEGIN {ADD_WORDS} END",
    f"CREATE TRIGGER acars_search_delete AFTER DELETE ON acars_messages BEGIN {REMOVE_WORDS} END",
    f"""CREATE TRIGGER acars_search_update AFTER UPDATE OF search_text ON acars_messages
        WHEN old.search_text IS NOT new.search_text BEGIN {REMOVE_WORDS} {ADD_WORDS} END""",
)
# PostgreSQL: words, and pairs of neighbouring words so that a phrase is looked up. The index is on a function instead
# of a column: nothing reads the words but the index. Words are ASCII letters and digits
# (acars.searching.search.words_of). A tsvector takes 1 MB, and each of its words 2 kB; no search is for more than 200
# characters.
POSTGRESQL = (
    # Chunks are compressed already; PostgreSQL need not try again. Flights change while they last.
    "ALTER TABLE history_chunks ALTER COLUMN data SET STORAGE EXTERNAL",
    "ALTER TABLE history_tail ALTER COLUMN points SET STORAGE EXTERNAL",
    "ALTER TABLE history_tail ALTER COLUMN ends SET STORAGE EXTERNAL",
    "ALTER TABLE history_flights SET (fillfactor = 85)",
    """
CREATE FUNCTION acars_search_words(id bigint, words text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  block CONSTANT text := id >> 13;
  word text;
  former text;
  lexemes text[] := '{}';
BEGIN
  FOREACH word IN ARRAY string_to_array(left(words, 65536), ' ') LOOP
    word := left(word, 255);
    lexemes := lexemes || (block || '.' || word);
    IF former IS NOT NULL THEN
      lexemes := lexemes || (block || ':' || former || ' ' || word);
    END IF;
    former := word;
  END LOOP;
  RETURN array_to_tsvector(lexemes);
END
$$
""",
    """CREATE INDEX ix_acars_messages_words ON acars_messages
        USING gin (acars_search_words(id, search_text)) WITH (fastupdate = off)""",
)


def upgrade() -> None:
    dialect = op.get_bind().dialect.name
    for table, columns in TABLES.items():
        types = {name: text.format(table=table) for name, text in TYPES[dialect].items()}
        # Rows of airframes are found by their key alone.
        option = " WITHOUT ROWID" if (table, dialect) == ("airframes", "sqlite") else ""
        op.execute(f"CREATE TABLE {table} ({columns.format_map(types)}){option}")
    for table, indexes in INDEXES.items():
        for columns in indexes:
            op.create_index(f"ix_{table}_{columns.replace(' ', '_')}", table, columns.split())
    _create_flight_indexes("" if dialect == "sqlite" else " varchar_pattern_ops")
    for row in ROWS:
        op.execute(f"INSERT INTO {row}")
    for statement in SQLITE if dialect == "sqlite" else POSTGRESQL:
        op.execute(statement)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE acars_search")
        op.execute("DROP TABLE acars_search_blocks")
    for table in reversed(TABLES):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION acars_search_words")


def _create_flight_indexes(operators: str) -> None:
    for column, others in FLIGHT_INDEXES.items():
        name = f"ix_history_flights_{column}{others.replace(', ', '_')}"
        op.execute(f"CREATE INDEX {name} ON history_flights ({column}{operators}{others}) WHERE {column} IS NOT NULL")
