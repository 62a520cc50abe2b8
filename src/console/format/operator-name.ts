/** A payment operator as it stands with an operation: a gateway by its name, any other as it was written. */
export const operatorName = (names: { readonly gwa: string; readonly gwb: string }, operator: string | null) =>
  operator === 'gwa' || operator === 'gwb' ? names[operator] : operator
