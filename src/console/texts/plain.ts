/** As texts are compared with what somebody types: capital letters and ё make no difference. */
export const plain = (text: string): string => text.toLowerCase().replaceAll('ё', 'е')
