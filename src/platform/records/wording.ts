import { drf, wrongField, wrongRequest } from './refusals.ts'
import type { Wording } from './model.ts'

/** The sentences of Django REST framework, which programs compare. */
export const drfWording: Wording = {
  wrong: (_, fault) => fault,
  missingRow: drf.missingRow,
  inUse: ({ label }, uses) =>
    wrongRequest(
      `This ${label} is in use and cannot be deleted: ${uses.map(({ noun, count }) => `${count} ${noun}`).join(', ')}.`,
    ),
  late: (refusal) => {
    switch (refusal.kind) {
      case 'taken':
        return wrongField(refusal.name, drf.taken(refusal.model.label, refusal.what.replaceAll('_', ' ')), 'taken')
      case 'inUse':
        return wrongRequest(
          `This ${refusal.model.label} is in use and cannot be deleted: rows of ${refusal.table} refer to it.`,
        )
      case 'missing':
        return wrongField(refusal.name, drf.missingRow(refusal.sent), 'missing')
    }
  },
}
