import { boolean, day, decimal, id, int8, looseId, moment, money, text } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * The sums from which reports are answered (billing/reports; decision 025). A part is a bucket of 8192 operations by
 * id, as row_counts has them. Without foreign keys, because a sum may outlive by a minute what it names.
 */
export const ReportPart = entity('report_parts', {
  columns: {
    /** `op_id >> 13`. */
    bucket: int8().primary(),
    /** How many operations it had when it was summed up. */
    rows: int8(),
    /** The time zone whose days its sums have. */
    zone: text(),
  },
})

/** What a sum is of beside its bucket and day. */
const whatOf = {
  organization_id: int8().primary(),
  op_type_id: int8().primary(),
  /** domain/operation-source.ts. */
  channel: text().primary(),
  /** 0: automatic. */
  owner_id: int8().primary(),
}

const whenOf = {
  bucket: int8().primary(),
  /** Of op_date, in the time zone of the part. */
  day: day().primary(),
}

const sums = {
  operations: int8(),
  /** Rubles x 10^10, of operations above zero and of those below; a bucket may have more than an int8 holds. */
  income: decimal(38, 0),
  expense: decimal(38, 0),
}

export const ReportSum = entity('report_sums', {
  columns: {
    ...whenOf,
    ...whatOf,
    /** The tariff that the subscriber had then; 0: none. */
    tarif_id: int8().primary(),
    is_document: boolean().primary(),
    ...sums,
  },
  indexes: { report_sums_day: '(day)' },
})

/** The same whatever the tariff was: a twentieth of the rows, and what most reports ask for. */
export const ReportPlainSum = entity('report_plain_sums', {
  columns: { ...whenOf, ...whatOf, is_document: boolean().primary(), ...sums },
  indexes: { report_plain_sums_day: '(day)' },
})

/** 64 buckets that have sums of their own: all but those that are being filled. */
export const ReportGroup = entity('report_groups', {
  columns: {
    /** `bucket >> 6`. */
    bucket_group: int8().primary(),
    /** False: a node of the release before made this group, which had no sums by day. */
    has_days: boolean().default(false),
  },
})

/** The sums of a group of buckets by day, a third of those by bucket at ten million operations a year. */
export const ReportDaySum = entity('report_day_sums', {
  columns: {
    bucket_group: int8().primary(),
    day: day().primary(),
    ...whatOf,
    tarif_id: int8().primary(),
    is_document: boolean().primary(),
    ...sums,
  },
  indexes: { report_day_sums_day: '(day)' },
})

/** The same by month, a fortieth of the sums by bucket. */
export const ReportMonthSum = entity('report_month_sums', {
  columns: {
    bucket_group: int8().primary(),
    /** Its first day. */
    month: day().primary(),
    ...whatOf,
    tarif_id: int8().primary(),
    is_document: boolean().primary(),
    ...sums,
  },
})

/** A bucket with an operation that was changed or deleted, or whose tariff was; triggers write it. */
export const ReportMark = entity('report_marks', {
  columns: {
    id: id(),
    bucket: int8(),
  },
})

/** An account below zero as it is in the sums of debts. */
export const ReportDebtor = entity('report_debtors', {
  columns: {
    account_id: int8().primary(),
    /** Of debt_since, in the time zone of the parts. */
    day: day(),
    /** Of the main client, as is the next. */
    organization_id: int8(),
    departed: boolean(),
    /** Rubles x 10^10. */
    debt: money(),
  },
})

/** The debts of all accounts together that came below zero on a day. */
export const ReportDebt = entity('report_debts', {
  columns: {
    day: day().primary(),
    organization_id: int8().primary(),
    departed: boolean().primary(),
    accounts: int8(),
    debt: decimal(38, 0),
  },
})

/** How many operations a bucket had when the debts of their accounts were summed up. */
export const ReportDebtPart = entity('report_debt_parts', {
  columns: { bucket: int8().primary(), rows: int8(), zone: text() },
})

/** An account whose debt may count elsewhere, or whose operation is gone; triggers write it. */
export const ReportDebtMark = entity('report_debt_marks', { columns: { id: id(), account_id: int8() } })

/** A tariff that a subscriber had until a moment; triggers write it. */
export const PastTariff = entity('past_tariffs', {
  columns: {
    id: id(),
    abonent_id: int8(),
    until: moment(),
    tarif_id: looseId(),
  },
  indexes: { past_tariffs_abonent: '(abonent_id, until)' },
})
