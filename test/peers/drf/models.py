"""Tollgate's tables as a Django application sees them. The tables are a copy of Tollgate's own, so nothing is migrated."""
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

MAX8 = 2**63 - 1
SPEED = [MinValueValidator(0), MaxValueValidator(9_999_999)]


class Money(models.BigIntegerField):
    """Stored units x 10^10."""

    def __init__(self, *args, least=-MAX8, **kwargs):
        self.least = least
        kwargs.setdefault("validators", [MinValueValidator(least), MaxValueValidator(MAX8)])
        super().__init__(*args, **kwargs)

    # The backend's own bounds would say the same a second time.
    @property
    def validators(self):
        return self._validators


def text(**kwargs):
    return models.CharField(max_length=255, **kwargs)


def optional_text(**kwargs):
    return text(null=True, blank=True, **kwargs)


def long_text():
    return models.TextField(max_length=10000, null=True, blank=True)


def link(to, **kwargs):
    kwargs.setdefault("related_name", "+")
    return models.ForeignKey(to, models.PROTECT, **kwargs)


class Table(models.Model):
    class Meta:
        abstract = True
        managed = False


class Currency(Table):
    code = text()
    name = text()

    class Meta(Table.Meta):
        db_table = "currencies"


class Organization(Table):
    name = text()

    class Meta(Table.Meta):
        db_table = "organizations"


class Tarif(Table):
    name = text()
    price = Money(least=0)
    speed_mbit = models.DecimalField(max_digits=10, decimal_places=3, null=True, blank=True, validators=SPEED)
    upload_mbit = models.DecimalField(max_digits=10, decimal_places=3, null=True, blank=True, validators=SPEED)
    enabled = models.BooleanField(default=True)
    is_public = models.BooleanField(default=False)
    description = long_text()
    vlan = models.IntegerField(null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(4094)])
    radius_reply = models.JSONField(default=list, blank=True)
    walled_garden = models.BooleanField(default=False)

    class Meta(Table.Meta):
        db_table = "tarifs"


class Usluga(Table):
    name = text()
    price = Money(least=0, default=0)
    summa = Money(least=0, null=True, blank=True)
    system_type = models.IntegerField(null=True, blank=True)
    end_count_days = models.IntegerField(null=True, blank=True, validators=[MinValueValidator(0)])
    enabled = models.BooleanField(default=True)
    is_public = models.BooleanField(default=False)
    description = long_text()

    class Meta(Table.Meta):
        db_table = "uslugas"


class Homes(Table):
    parent = link("self", null=True, blank=True)
    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in ("city", "street", "house")])
    name = text()

    class Meta(Table.Meta):
        db_table = "homes"


class Switch(Table):
    name = text()
    ip = models.GenericIPAddressField()
    mac = models.TextField(null=True, blank=True)
    model = optional_text()
    ports_count = models.IntegerField(null=True, blank=True, validators=[MinValueValidator(0)])
    home = link(Homes, null=True, blank=True)
    comment = long_text()

    class Meta(Table.Meta):
        db_table = "switches"


class Nas(Table):
    name = text()
    ip = models.GenericIPAddressField(unique=True, null=True, blank=True)
    secret = text()
    nas_type = models.CharField(
        max_length=20,
        default="generic",
        choices=[(kind, kind) for kind in ("mikrotik", "cisco", "juniper", "huawei", "accel", "generic")],
    )
    coa_port = models.IntegerField(default=3799, validators=[MinValueValidator(1), MaxValueValidator(65535)])
    enabled = models.BooleanField(default=True)
    require_message_authenticator = models.CharField(max_length=4, default="auto", choices=[(w, w) for w in ("yes", "no", "auto")])
    limit_proxy_state = models.CharField(max_length=4, default="auto", choices=[(w, w) for w in ("yes", "no", "auto")])
    learned_message_authenticator = models.BooleanField(null=True, editable=False)
    learned_proxy_state = models.BooleanField(null=True, editable=False)
    realms = models.TextField(max_length=1000, null=True, blank=True)
    interims = models.CharField(max_length=4, default="auto", choices=[(w, w) for w in ("yes", "no", "auto")])
    learned_interims = models.BooleanField(null=True, editable=False)
    session_hours_max = models.IntegerField(default=168, validators=[MinValueValidator(1), MaxValueValidator(87600)])
    comment = long_text()

    class Meta(Table.Meta):
        db_table = "nas"


class AdminAccounts(Table):
    ostatok = Money(default=0)
    debit = Money(default=0)
    credit = Money(default=0)
    limit = Money(default=0)
    unlimited = models.BooleanField(default=False)
    unlimited_date = models.DateTimeField(null=True, blank=True)
    warn = Money(null=True, blank=True)
    sleep_date = models.DateTimeField(null=True, blank=True)
    bonus_score = Money(default=0)
    currency = link(Currency, default=1)
    comment = long_text()
    last_notification_date = models.DateTimeField(null=True, blank=True)
    create_date = models.DateTimeField(editable=False, auto_now_add=True)

    class Meta(Table.Meta):
        db_table = "admin_accounts"


class AbonentFolders(Table):
    name = text()

    class Meta(Table.Meta):
        db_table = "abonent_folders"


class Abonents(Table):
    name = text()
    contract_number = text()
    email = optional_text()
    sms = optional_text()
    enabled = models.BooleanField(default=True)
    tarif = link(Tarif, null=True, blank=True)
    next_tarif = link(Tarif, null=True, blank=True)
    next_tarif_date = models.DateTimeField(null=True, blank=True)
    account = link(AdminAccounts)
    promise_pay = Money(null=True, editable=False)
    promise_date_end = models.DateTimeField(null=True, editable=False)
    create_date = models.DateTimeField()
    company = models.BooleanField(default=False)
    passport_series_number = optional_text()
    birth_date = models.DateField(null=True, blank=True)
    parent = link(AbonentFolders, null=True, blank=True)
    organization = link(Organization, null=True, editable=False)
    home = link(Homes, null=True, blank=True)
    flat = models.CharField(max_length=50, null=True, blank=True)
    address = optional_text(editable=False)
    comment = long_text()
    deleted = models.BooleanField(default=False, editable=False)

    class Meta(Table.Meta):
        db_table = "abonents"


class Cards(Table):
    serial = text(unique=True)
    pin = text()
    nominal = Money(least=0)
    status = models.CharField(max_length=10, default="new", choices=[(w, w) for w in ("new", "active", "used", "blocked")])
    abonent = link(Abonents, null=True, blank=True)
    used_date = models.DateTimeField(null=True, blank=True)

    class Meta(Table.Meta):
        db_table = "cards"


class FinTypes(Table):
    type_id = models.BigAutoField(primary_key=True)
    op_name = text()
    op_sign = models.SmallIntegerField()

    class Meta(Table.Meta):
        db_table = "fin_types"


class FinanceOperations(Table):
    op_id = models.BigAutoField(primary_key=True)
    op_date = models.DateTimeField()
    system_date = models.DateTimeField(editable=False)
    op_summa = Money()
    op_type = link(FinTypes)
    abonent = link(Abonents, null=True, blank=True)
    account = link(AdminAccounts)
    descr = long_text()
    number = optional_text()
    storno = models.BooleanField(editable=False)
    usluga = link(Usluga, null=True, blank=True)
    operator_name = optional_text()
    code1c = models.CharField(max_length=32, null=True, blank=True)
    isbuhdoc = models.BooleanField(default=True)
    txn = optional_text()

    class Meta(Table.Meta):
        db_table = "finance_operations"
