import {
  boolean,
  browserSession,
  bytes,
  createdNow,
  id,
  int8,
  integer,
  json,
  looseId,
  moment,
  reference,
  sealed,
  smallint,
  text,
  textArray,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** A company of the group. Every subscriber and every operation belongs to one. */
export const Organization = entity('organizations', {
  columns: {
    id: id(),
    name: text(),
    /** From here on: what is printed on documents. The name as registered, where it is another one. */
    full_name: text().nullable(),
    inn: text().nullable(),
    kpp: text().nullable(),
    ogrn: text().nullable(),
    address: text().nullable(),
    phone: text().nullable(),
    bank_name: text().nullable(),
    bik: text().nullable(),
    settlement_account: text().nullable(),
    correspondent_account: text().nullable(),
    director: text().nullable(),
    accountant: text().nullable(),
    /** Per cent of VAT that prices include; null: none is charged. */
    vat_rate: smallint().nullable(),
  },
})

/** Somebody who works here, or a program that works for them. */
export const Staff = entity('staff', {
  columns: {
    id: id(),
    username: text().unique('staff_username'),
    password_hash: text(),
    /** May sign in by SOAP. */
    soap: boolean().default(false),
    /** MD5 of the password, of those who may use SOAP: the SOAP sign-in hash is made of it. */
    soap_md5: sealed().nullable(),
    is_superuser: boolean().default(false),
    role: text().default('operator'),
    /** May use REST though the role does not. */
    rest: boolean().default(false),
    /** May export personal documents though the role does not. */
    personal_data: boolean().default(false),
    /** Sees every organization, also later ones; the web admin then takes changes that concern all of them. */
    all_organizations: boolean().default(false),
    enabled: boolean().default(true),
    /** Base32: what an application makes its codes of; null: the password suffices. */
    totp_secret: sealed().nullable(),
    /** The half minute of the last code that was used (RFC 6238): neither it nor an older one is taken again. */
    totp_step: int8().nullable(),
    create_date: createdNow(),
  },
})

/** The roles of the provider, and those of the program that somebody has given another title or other rights. */
export const StaffRole = entity('staff_roles', {
  columns: {
    name: text().primary(),
    /** Null: those that the program gives it. */
    rights: textArray().nullable(),
    /** What people call it; null: as the program does. */
    title: text().nullable().unique('staff_roles_title'),
  },
})

/** Which organizations a staff user may see; a superuser sees all of them. */
export const StaffOrganization = entity('staff_organizations', {
  columns: {
    staff_id: reference('staff').onDelete('cascade').primary(),
    organization_id: reference('organizations').primary(),
  },
  indexes: { staff_organizations_organization: '(organization_id)' },
})

export const StaffSession = entity('staff_sessions', {
  columns: {
    /** SHA-256 of the session key in hex: who reads the table cannot sign in with it. */
    key_hash: text().primary(),
    staff_id: reference('staff').onDelete('cascade'),
    ...browserSession(),
  },
  indexes: {
    staff_sessions_staff: '(staff_id)',
    staff_sessions_expires_at: '(expires_at)',
  },
})

/** SHA-256 of codes that sign in once in place of a second factor that is lost. */
export const StaffRecoveryCode = entity('staff_recovery_codes', {
  columns: {
    staff_id: reference('staff').onDelete('cascade').primary(),
    code_hash: text().primary(),
  },
})

/** A sign-in whose password was right, and which waits for the second factor. */
export const StaffChallenge = entity('staff_challenges', {
  columns: {
    /** SHA-256 of the key that the browser has. */
    key_hash: text().primary(),
    staff_id: reference('staff').onDelete('cascade'),
    is_weak: boolean(),
    failures: integer().default(0),
    created_at: moment(),
    expires_at: moment(),
  },
  indexes: { staff_challenges_staff: '(staff_id)' },
})

/** A secret that a staff user was given and has not yet shown a code of. */
export const StaffTotpProposal = entity('staff_totp_proposals', {
  columns: {
    staff_id: reference('staff').onDelete('cascade').primary(),
    totp_secret: sealed(),
    failures: integer().default(0),
    expires_at: moment(),
  },
})

/** A credential of WebAuthn, which its owner's device or security key signs with in place of a code. */
export const StaffPasskey = entity('staff_passkeys', {
  columns: {
    id: id(),
    staff_id: reference('staff').onDelete('cascade'),
    /** As its owner calls it. */
    name: text(),
    /** As in base64url; the device chose it. */
    credential_id: text().unique('staff_passkeys_credential'),
    /** In COSE. */
    public_key: bytes(),
    /** How many signatures the device had made at the last use; 0 where it does not count. */
    counter: int8(),
    /** How the browser reaches it: `usb`, `internal`, … */
    transports: textArray(),
    created_at: createdNow(),
    used_at: moment().nullable(),
  },
  indexes: { staff_passkeys_staff: '(staff_id)' },
})

/** What a passkey is asked to sign, once. */
export const StaffPasskeyChallenge = entity('staff_passkey_challenges', {
  columns: {
    challenge: text().primary(),
    staff_id: reference('staff').onDelete('cascade'),
    /** `add`, `confirm`, or the `key_hash` of the waiting sign-in. */
    purpose: text(),
    expires_at: moment(),
  },
  indexes: { staff_passkey_challenges_staff: '(staff_id)' },
})

/** A key of a program that acts for a staff user within its scopes. */
export const ApiToken = entity('api_tokens', {
  columns: {
    id: id(),
    staff_id: reference('staff').onDelete('cascade'),
    name: text(),
    /** SHA-256 of the token in hex: who reads the table cannot sign in with it. */
    token_hash: text().unique('api_tokens_token_hash'),
    scopes: textArray(),
    created_at: createdNow(),
    /** Null: it holds until it is taken back. */
    expires_at: moment().nullable(),
    used_at: moment().nullable(),
  },
  indexes: { api_tokens_staff: '(staff_id)' },
})

/** A program that signed in by get_user_hash; the table has the SHA-256 of the hash_key only. */
export const SoapSession = entity('soap_sessions', {
  columns: {
    key_hash: text().primary(),
    staff_id: reference('staff').onDelete('cascade'),
    /** MD5 of the sealed password it signed in with: another password ends the session. */
    password_mark: text(),
    created_at: createdNow(),
    expires_at: moment(),
    address: text().nullable(),
  },
  indexes: {
    soap_sessions_staff: '(staff_id)',
    soap_sessions_expires_at: '(expires_at)',
  },
})

/** Who changed what. Without foreign keys: it outlives everything it names. */
export const AuditOperation = entity('audit_operations', {
  columns: {
    id: id(),
    at: createdNow(),
    user_id: looseId(),
    user_name: text().nullable(),
    address: text().nullable(),
    /** As the specification spells it: FIN_TYPES, USERS_USLUGA. */
    table_name: text(),
    object_id: text(),
    action: text(),
    diff: json<Record<string, unknown>>().nullable(),
    organization_id: looseId(),
  },
  indexes: {
    audit_operations_object: '(table_name, object_id, at DESC)',
    audit_operations_at: '(at DESC, id DESC)',
    audit_operations_user: '(user_id, at DESC) WHERE user_id IS NOT NULL',
    // Logins and services that are gone, by their subscriber.
    audit_operations_gone: `((coalesce(diff->'abonent'->>0, diff->'abonent_id'->>0, diff->>'abonent_id')))
      WHERE table_name IN ('USERS', 'USERS_USLUGA') AND action IN ('delete', 'end')`,
    audit_operations_deeds: `(object_id)
      WHERE table_name = 'FINANCE_OPERATIONS' AND action NOT IN ('create', 'storno')`,
  },
})
