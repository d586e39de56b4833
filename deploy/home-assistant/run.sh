#!/bin/sh
# Starts the add-on: settings from its options, the database, nginx, and the service. The add-on ends with the service.
set -eu
/opt/skywatch/bin/python /options.py /data/options.json /data/skywatch.ini
/opt/skywatch/bin/skywatch init /data/skywatch.ini
nginx -c /etc/skywatch/nginx.conf
exec /opt/skywatch/bin/skywatch serve /data/skywatch.ini
