"""The rules of accounts, one file a subject: functions over a database session that know no request."""
