"""A Django REST framework + django-filter server over a copy of Tollgate's tables: what the contract was written against."""
import json
import os
import sys
from functools import cache
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

url = urlsplit(os.environ["ORACLE_DATABASE"])
settings.configure(
    DEBUG=False,
    SECRET_KEY="oracle",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["rest_framework", "django_filters", "oracle"],
    MIDDLEWARE=[],
    USE_TZ=True,
    TIME_ZONE="Europe/Moscow",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": url.path[1:],
            "HOST": url.hostname,
            "PORT": url.port,
            "USER": url.username,
            "PASSWORD": url.password,
            "CONN_MAX_AGE": None,
        }
    },
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser", "rest_framework.parsers.FormParser"],
        "COERCE_DECIMAL_TO_STRING": False,
    },
)
django.setup()

from django.db import models as fields  # noqa: E402
from django.db.models import F  # noqa: E402
from django.urls import include, path  # noqa: E402
from django_filters.rest_framework import DjangoFilterBackend, FilterSet  # noqa: E402
from django_filters import NumberFilter  # noqa: E402
from rest_framework import serializers, viewsets  # noqa: E402
from rest_framework.filters import OrderingFilter  # noqa: E402
from rest_framework.pagination import LimitOffsetPagination  # noqa: E402
from rest_framework.routers import SimpleRouter  # noqa: E402

from oracle import models  # noqa: E402

served = ["Tarif", "Usluga", "Homes", "Switch", "Nas", "AdminAccounts", "Abonents", "Cards", "FinanceOperations"]
secret = {"secret", "pin", "password"}

COMPARED = ["exact", "gt", "gte", "lt", "lte", "in", "range", "isnull"]
MATCHED = ["iexact", "contains", "icontains", "startswith", "istartswith", "endswith"]


def lookups_of(field):
    if isinstance(field, fields.BooleanField):
        return ["exact", "isnull"]
    if isinstance(field, (fields.CharField, fields.TextField)):
        return COMPARED + MATCHED
    if isinstance(field, fields.DateTimeField):
        return COMPARED + ["date", "year", "month"]
    if isinstance(field, fields.DateField):
        return COMPARED + ["year", "month"]
    if isinstance(field, fields.GenericIPAddressField):
        return ["exact", "in", "isnull"]
    if isinstance(field, fields.ForeignKey):
        return ["exact", "in", "isnull"]
    return COMPARED


@cache
def filterable(model, prefix="", depth=1):
    found = {}
    for field in model._meta.fields:
        if field.name in secret or isinstance(field, fields.JSONField):
            continue
        lookups = lookups_of(field)
        # A parameter of paging goes before the field of that name (contract section 4).
        found[prefix + field.name] = [word for word in lookups if word != "exact"] if field.name == "limit" else lookups
        if isinstance(field, fields.ForeignKey) and depth:
            found.update(filterable(field.remote_field.model, f"{prefix}{field.name}__", depth - 1))
    return found


class AskedFilters(FilterSet):
    """django-filter copies all its filters for each request, hundreds here; those that nobody asks for filter nothing."""

    def __init__(self, data=None, *args, **kwargs):
        self.base_filters = {name: one for name, one in type(self).base_filters.items() if name in (data or {})}
        super().__init__(data, *args, **kwargs)


class NullsLast(OrderingFilter):
    """PostgreSQL's places of nulls, and the key as the last of all."""

    def get_valid_fields(self, queryset, view, context={}):
        return [(name, name) for name in filterable(queryset.model)]

    def filter_queryset(self, request, queryset, view):
        terms = list(self.get_ordering(request, queryset, view) or [])
        key = queryset.model._meta.pk.name
        return queryset.order_by(*terms, *([] if {key, f"-{key}"} & set(terms) else [key]))


class Pages(LimitOffsetPagination):
    default_limit = 100
    max_limit = 1000


class Chosen(serializers.ModelSerializer):
    """`fields=` leaves only the named ones; a body may be partial."""

    def to_representation(self, record):
        shown = super().to_representation(record)
        names = [n.strip() for n in self.context["request"].query_params.get("fields", "").split(",") if n.strip()]
        return {name: value for name, value in shown.items() if not names or name in names}


def serializer_of(model_class):
    declared = {}
    names = []
    for field in model_class._meta.fields:
        names.append(field.name)
        if field.primary_key and field.name != "id":
            names.append("id")
            declared["id"] = serializers.IntegerField(source=field.name, read_only=True)
        if isinstance(field, fields.ForeignKey):
            names.append(field.attname)
            declared[field.attname] = serializers.IntegerField(read_only=True)
    extra = {name: {"write_only": True, "trim_whitespace": False} for name in names if name in secret}
    meta = type("Meta", (), {"model": model_class, "fields": names, "extra_kwargs": extra})
    return type(f"{model_class.__name__}Serializer", (Chosen,), {**declared, "Meta": meta})


def view_of(model_class):
    keyed = {"limit__exact": NumberFilter(field_name="limit")} if model_class is models.AdminAccounts else {}
    meta = type("Meta", (), {
        "model": model_class,
        "fields": filterable(model_class),
        "filter_overrides": {},
    })
    filterset = type(f"{model_class.__name__}Filter", (AskedFilters,), {"Meta": meta, **keyed})

    class View(viewsets.ModelViewSet):
        queryset = model_class.objects.all()
        serializer_class = serializer_of(model_class)
        filter_backends = [DjangoFilterBackend, NullsLast]
        filterset_class = filterset
        pagination_class = Pages

        def update(self, request, *args, **kwargs):
            kwargs["partial"] = True
            return super().update(request, *args, **kwargs)

        def filter_queryset(self, queryset):
            found = super().filter_queryset(queryset)
            hides = model_class is models.Abonents and self.action == "list"
            return found.filter(deleted=False) if hides and "deleted" not in self.request.query_params else found

    View.__name__ = model_class.__name__
    View.__doc__ = json.loads(os.environ["ORACLE_DESCRIPTIONS"]).get(model_class.__name__, "")
    return View


router = SimpleRouter()
router.trailing_slash = "/?"
for name in served:
    router.register(name, view_of(getattr(models, name)))
urlpatterns = [path("rest_api/v2/", include(router.urls))]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


if __name__ == "__main__":
    from django.core.wsgi import get_wsgi_application

    with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet) as server:
        print(json.dumps({"port": server.server_port}), flush=True)
        server.serve_forever()
    sys.exit(0)
