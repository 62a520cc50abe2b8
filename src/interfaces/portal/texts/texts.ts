import { catalogue } from '../../../domain/language.ts'
import { en } from './en.ts'
import { ru } from './ru.ts'

export const texts = catalogue({ ru, en })
