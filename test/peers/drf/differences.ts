import type { Sent } from './requests.ts'

/** An answer that is meant to be another one than Django's. */
export type Difference = {
  /** Of `METHOD path body`. */
  readonly request: RegExp
  readonly ours: number
  readonly theirs: number
  readonly why: string
}

export const differences: readonly Difference[] = [
  {
    request: /^GET Abonents\/\?tarif=999$/,
    ours: 200,
    theirs: 400,
    why: 'a related id that does not exist gives an empty list (contract section 4)',
  },
  {
    request: /^GET Abonents\/\?create_date__(gte|lt)=2026-02-05$/,
    ours: 200,
    theirs: 400,
    why: 'filters of datetimes accept a date too (contract section 3)',
  },
  {
    request: /^GET (Abonents\/3\.0|Nonsense|Nonsense\/1)\/$/,
    ours: 404,
    theirs: 404,
    why: 'an address that no route has is refused in JSON, where Django shows a page',
  },
  {
    request: /^DELETE Tarif\/1\/$/,
    ours: 400,
    theirs: 500,
    why: 'a record in use is refused with the count (contract section 4); Django lets the error of the database through',
  },
  {
    request: /^GET Nas\/\?ip=nonsense$/,
    ours: 400,
    theirs: 500,
    why: 'django-filter passes any text on to the database',
  },
  {
    request: /^POST Nas\/ .*"ip":null/,
    ours: 400,
    theirs: 500,
    why: 'a NAS has an address or a network (contract section 10), and the application of Django knows no networks',
  },
  {
    request: /^POST Nas\/ .*"ip":""/,
    ours: 400,
    theirs: 400,
    why: 'an empty address is none, and a NAS without a network needs one',
  },
  {
    request: /^POST Homes\/ .*"parent":1\.5/,
    ours: 400,
    theirs: 201,
    why: 'Django cuts a fraction off a key; here it names no record',
  },
]

/**
 * Told in other words, or known to Tollgate only, wherever they appear:
 * - what follows `JSON parse error - `: Python and V8 say differently where a text is broken;
 * - `help_text` of OPTIONS, and in OPTIONS the second names of relations (`tarif_id`), which are read-only in Django;
 * - fields that the Django application leaves out because they would need code of their own there.
 */
export const onlyOurs: ReadonlySet<string> = new Set(
  (
    'help_text attributes block snmp_community owner owner_id related_operation related_operation_id fin_op fin_op_id ' +
    'network identifier secret_next proved_at next_proved_at template template_id coa_ip coa_source asked_ip ' +
    'credit_type credit_type_id operator operator_id admin_comment organization organization_id aa_ostatok aa_debit ' +
    'aa_credit aa_credit_adjust aa_limit_warning aa_limit aa_unlimited aa_unlimited_date balance_buh kkm_printed ' +
    'kkm_storno kkm_check_id kkm_check_retry_num atol_config is_cash operator_pay_id operator_pay_id_str ' +
    'operator_result sync1c'
  ).split(' '),
)

export const differenceOf = ({ method, path, body, raw }: Sent): Difference | undefined => {
  const text = `${method} ${path} ${raw ?? JSON.stringify(body) ?? ''}`.trim()
  return differences.find(({ request }) => request.test(text))
}
