import { mustBeRubles } from '../../platform/http/fields.ts'
import type { Field, Wording } from '../../platform/records/model.ts'
import { drf, refusedWrite, wrongField } from '../../platform/records/refusals.ts'

/** A type of operation may have millions of uses. */
const usesCountedMax = 100_000

/** How the web admin says why a write of a record is refused. */
export const adminWording: Wording = {
  wrong: (field, fault) => (fault === drf.required ? fault : `It must ${mustOf(field)}.`),
  // One that the caller may not see is answered like one that is missing.
  missingRow: () => 'There is no such record.',
  usesCountedMax,
  inUse: (_, uses) => {
    const counted = uses.map(
      ({ noun, count }) => `${noun}: ${count > usesCountedMax ? `more than ${usesCountedMax}` : count}`,
    )
    return refusedWrite(`It is in use and cannot be deleted (${counted.join(', ')}).`, 400, 'record_in_use')
  },
  late: (refusal) =>
    refusal.kind === 'taken'
      ? wrongField(refusal.name, `Another record has this ${refusal.what.replaceAll('_', ' ')}.`, 'taken')
      : refusedWrite('It is in use and cannot be deleted, or names a record that is gone.', 400, 'record_in_use'),
}

/** Completes "It must …". */
function mustOf({ kind, access, min = 0, max, choices = [], must }: Field): string {
  if (must) return must
  switch (kind) {
    case 'text':
      if (access === 'writeOnly') return `have ${min} to ${max} characters`
      return min > 0 ? `be text of ${min} to ${max} characters` : `be text of at most ${max} characters`
    case 'boolean':
      return 'be true or false'
    case 'choice':
      return `be one of ${choices.join(', ')}`
    case 'relation':
      return 'be an id'
    case 'relations':
      return 'be a list of ids'
    case 'rubles':
      return mustBeRubles
    case 'integer':
      return `be a whole number from ${min} to ${max}`
    case 'datetime':
      return 'be an ISO 8601 date or datetime'
    default:
      return `be a value of the type ${kind}`
  }
}
