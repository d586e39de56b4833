"""The aircraft list by Django REST framework: from dictionaries, as its users write it, and from ready bytes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path

settings.configure(
    DEBUG=False,
    SECRET_KEY="benchmark-only",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["rest_framework"],
    # Gives responses their Content-Length, without which gunicorn sends chunks.
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

BODY = Path(os.environ["BENCH_BODY"]).read_bytes()
PICTURE = json.loads(BODY)


class Dicts(APIView):
    def get(self, request: Any) -> Response:
        return Response(PICTURE)


class Ready(APIView):
    def get(self, request: Any) -> HttpResponse:
        return HttpResponse(BODY, content_type="application/json")


urlpatterns = [path("dicts", Dicts.as_view()), path("bytes", Ready.as_view())]
application = get_wsgi_application()
