import { chapter, plural } from '../../texts/texts.ts'

export const apiTexts = chapter({
  title: ['API', 'API'],
  says: [
    'Что принимает и отвечает каждый адрес. Описания — по-английски, как их читают программы.',
    'What every address takes and answers.',
  ],
  raw: ['OpenAPI (JSON)', 'OpenAPI (JSON)'],
  search: ['Найти адрес, метод, слово или поле', 'Find an address, a method, a word or a field'],
  every: ['Все разделы', 'Every chapter'],
  chapter: ['Раздел', 'Chapter'],
  found: [
    (count: number, all: number) => `${count} из ${all} ${plural(all, 'операции', 'операций', 'операций')}`,
    (count: number, all: number) => `${count} of ${all} operations`,
  ],
  none: ['Ничего не найдено', 'Nothing was found'],
  about: ['Обо всём API', 'About the whole API'],
  parameters: ['Параметры', 'Parameters'],
  body: ['Тело', 'Body'],
  answers: ['Ответы', 'Answers'],
  name: ['Имя', 'Name'],
  place: ['Где', 'In'],
  type: ['Тип', 'Type'],
  meaning: ['Значение', 'Meaning'],
  required: ['обязательно', 'required'],
  example: ['Пример', 'Example'],
  request: ['Пример запроса', 'Example of a request'],
  copy: ['Скопировать пример', 'Copy the example'],
  link: ['Ссылка на эту операцию', 'Link to this operation'],
  noFields: ['Полей нет', 'No fields'],
})
