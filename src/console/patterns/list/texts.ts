import { chapter, plural } from '../../texts/texts.ts'

export const listTexts = chapter({
  find: ['Найти', 'Find'],
  quick: ['Быстрый отбор', 'Quick filters'],
  columns: ['Столбцы', 'Columns'],
  export: ['Выгрузить CSV', 'Export CSV'],
  exporting: ['Выгрузка…', 'Exporting…'],
  exported: [
    (count: number) => `Выгружено: ${count} ${plural(count, 'строка', 'строки', 'строк')}`,
    (count: number) => `${count} ${count === 1 ? 'row' : 'rows'} exported`,
  ],
  exportCut: [
    (count: number) => `Выгружены первые ${count} строк, в списке их больше: сузьте отбор`,
    (count: number) => `The first ${count} rows are exported and the list has more: narrow it down`,
  ],
  markAll: ['Отметить все найденные', 'Mark all found'],
  allMarked: ['Отмечены все найденные', 'All found are marked'],
  total: [
    (count: string, isMore: boolean) => `${isMore ? 'больше ' : ''}${count}`,
    (count: string, isMore: boolean) => `${isMore ? 'more than ' : ''}${count}`,
  ],
  nothing: ['Ничего не найдено', 'Nothing found'],
  from: ['С какого дня', 'From day'],
  to: ['По какой день', 'To day'],
  clearSearch: ['Очистить поиск', 'Clear the search'],
  clear: ['Сбросить фильтры', 'Clear the filters'],
  mark: [(name: string) => `Отметить: ${name}`, (name: string) => `Mark ${name}`],
  marked: [
    (count: number) => `${plural(count, 'Отмечена', 'Отмечены', 'Отмечено')} ${count}`,
    (count: number) => `${count} marked`,
  ],
  unmark: ['Снять отметки', 'Unmark all'],
  ascending: ['по возрастанию', 'ascending'],
  descending: ['по убыванию', 'descending'],
  loading: ['Загрузка', 'Loading'],
})
