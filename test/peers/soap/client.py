"""What a program on zeep does and sees. Arguments: base url, user name, password, salt, contract. Prints one JSON object."""

import datetime
import hashlib
import json
import sys

import zeep
from lxml import etree

base, username, password, salt, contract = sys.argv[1:]


def hex_of(algorithm, text):
    return hashlib.new(algorithm, text.encode()).hexdigest()


def told(deed):
    try:
        return {"result": deed()}
    except zeep.exceptions.Fault as fault:
        return {"code": fault.code, "text": fault.message}


users = zeep.Client(f"{base}/api/userside/?wsdl")
fiscal = zeep.Client(f"{base}/api/fiscal/?wsdl")


def sign_in(word):
    return users.service.get_user_hash(username=username, hash=hex_of("sha1", hex_of("md5", word) + salt))


def raw(change):
    """The library's own message, spoiled on its way; its own reading of the answer."""
    envelope = etree.tostring(fiscal.create_message(fiscal.service, "pay_usr_act2", ACT="CHECK"))
    binding = fiscal.service._binding
    address = fiscal.service._binding_options["address"]
    response = fiscal.transport.post(address, change(envelope), {"Content-Type": "text/xml; charset=utf-8"})
    return told(lambda: binding.process_reply(fiscal, binding.get("pay_usr_act2"), response))


def act(kind, total, pay_id, key=None):
    return told(
        lambda: fiscal.service.pay_usr_act2(
            hash_key=key or hash_key,
            ACT=kind,
            CONTRACT_NUMBER=contract,
            SUM_IN=total,
            PAY_OPERATOR="zeep",
            COMMENT_IN="касса <1> & «2»",
            PAY_ID_STR=pay_id,
        )
    )


signed_in = sign_in(password)
hash_key = signed_in if isinstance(signed_in, str) else signed_in.hash
print(
    json.dumps(
        {
            "hash": {"result": hash_key},
            "wrongHash": told(lambda: sign_in("wrong")),
            "check": act("CHECK", "", None),
            "pay": act("PAY", "100,50", "p-1"),
            "repeat": act("PAY", "100.5", "p-1"),
            "otherSum": act("PAY", "100.51", "p-1"),
            "wrongKey": act("PAY", "1", "p-2", key="0" * 32),
            "imported": told(
                lambda: fiscal.service.pay_usr_act_import(
                    hash_key=hash_key, ACT_LIST=f"{contract};9,50;p-3;{datetime.date.today()};\nnobody;1;p-4;;", PAY_OPERATOR="zeep"
                )
            ),
            "unknownOperation": raw(lambda envelope: envelope.replace(b"pay_usr_act2", b"pay_usr_act9")),
            "brokenXml": raw(lambda envelope: envelope[:-10]),
        }
    )
)
