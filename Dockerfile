# Skywatch as a container image: docker build --tag skywatch .
#
# BASE is a Debian 12 or 13, or what is made of one. The wheel is the same for every processor and is built on the
# builder's own; the second stage is made for each platform: docker buildx build --platform linux/amd64,linux/arm64 .
ARG BASE=docker.io/library/debian:trixie-slim

FROM --platform=$BUILDPLATFORM ${BASE} AS wheel
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates make python3 python3-venv
COPY . /source
WORKDIR /source
RUN make wheel

FROM ${BASE}
# What is also installed: every database and bus that the settings can name. "parquet" adds 150 MB.
ARG EXTRAS=postgresql,redis,nats,apprise
# postgresql-client: what makes backups of PostgreSQL (pg_dump of the base's version, 17 on Debian 13).
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates postgresql-client python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY --from=wheel /source/dist /tmp/dist
RUN python3 -m venv /opt/skywatch \
    && /opt/skywatch/bin/pip install --no-cache-dir "$(ls /tmp/dist/skywatch-*.whl)[$EXTRAS]" \
    && ln -s /opt/skywatch/bin/skywatch /usr/local/bin/skywatch \
    && rm -r /tmp/dist
COPY deploy/image/skywatch.ini /etc/skywatch/skywatch.ini
COPY --chmod=755 deploy/image/entrypoint deploy/image/healthcheck /usr/local/lib/skywatch/
RUN groupadd --gid 6543 skywatch \
    && useradd --uid 6543 --gid 6543 --home-dir /var/lib/skywatch --no-create-home --shell /usr/sbin/nologin skywatch \
    && install --directory --mode 750 --owner skywatch --group skywatch /var/lib/skywatch

# The root may be read-only: only the volume and /tmp are written.
USER 6543:6543
WORKDIR /var/lib/skywatch
VOLUME /var/lib/skywatch
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/var/lib/skywatch
# As in the units: what is freed is not kept for each thread.
ENV GLIBC_TUNABLES=glibc.malloc.tcache_count=0
EXPOSE 6543 6544
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["/usr/local/lib/skywatch/healthcheck"]
# The service ends within 18 s of SIGTERM.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/lib/skywatch/entrypoint"]
CMD ["serve"]
