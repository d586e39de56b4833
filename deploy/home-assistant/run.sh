#!/bin/sh
# Starts the add-on: settings from its options, nginx, the database, the first administrator, and the service. The add-on
# ends with the service.
set -eu
/opt/skywatch/bin/python /options.py /data/options.json /data/skywatch.ini
nginx -c /etc/skywatch/nginx.conf
/opt/skywatch/bin/skywatch init /data/skywatch.ini
/opt/skywatch/bin/python /options.py /data/options.json /data/skywatch.ini --administrator
exec /opt/skywatch/bin/skywatch serve /data/skywatch.ini
