import type { Book } from '../../contract/contacts/books.ts';
import type { CardEntry, ListedCard, ShownCard } from '../../contract/contacts/fields.ts';
import type { CardImportResult } from '../../contract/contacts/files.ts';
import { counted } from '../kit/counted.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { Column, Detail } from '../kit/table.ts';

export const cardColumns: readonly Column<ListedCard>[] = [
  { title: 'NAME', of: ({ displayName }) => displayName, main: true },
  { title: 'ADDRESS', of: ({ emails }) => emails[0]?.value ?? '' },
  { title: 'TELEPHONE', of: ({ phones }) => phones[0]?.value ?? '', spare: true },
  { title: 'ORGANIZATION', of: ({ organization }) => organization, spare: true },
  { title: 'ID', of: ({ id }) => id.slice(0, 12), whole: true },
];

export const bookColumns: readonly Column<Book>[] = [
  { title: 'NAME', of: ({ displayName }) => displayName, main: true },
  { title: 'CONTACTS', of: ({ cardCount }) => String(cardCount), whole: true },
  { title: 'DEFAULT', of: ({ isDefault }) => (isDefault ? 'yes' : '') },
  { title: 'ID', of: ({ id }) => id.slice(0, 12), whole: true },
];

/** All that a contact has, for people. */
export function cardDetails(card: ShownCard): Detail[] {
  const { name, addresses, units, note, categories } = card;
  const parts = [name.prefix, name.given, name.additional, name.family, name.suffix].filter((part) => part !== '');
  const places = addresses.map(({ value, ...facets }) => {
    const { poBox, extended, street, postalCode, city, region, country } = value;
    const lines = [
      poBox,
      extended,
      street,
      [postalCode, city].filter((part) => part !== '').join(' '),
      region,
      country,
    ];
    return ['address', lines.filter((line) => line !== '').join('\n') + aside(facets), 'prose'] as const;
  });
  const all: readonly Detail[] = [
    ['name', card.displayName],
    ['parts', parts.join(' ')],
    ['kind', card.kind === 'individual' ? '' : card.kind],
    ['organization', [card.organization, ...units].filter((part) => part !== '').join(', ')],
    ['title', card.title],
    ...card.emails.map((entry): Detail => ['e-mail', entry.value + aside(entry)]),
    ...card.phones.map((entry): Detail => ['telephone', entry.value + aside(entry)]),
    ...places,
    ...card.urls.map((entry): Detail => ['web', entry.value + aside(entry)]),
    ['birthday', card.birthday ?? ''],
    ['categories', categories.join(', ')],
    ['note', note, 'prose'],
    ['picture', card.hasPhoto ? 'yes' : ''],
    ['id', card.id],
  ];
  return all.filter(([what, value]) => value !== '' && (what !== 'parts' || value !== card.displayName));
}

function aside({ types, label, preferred }: Omit<CardEntry, 'value'>): string {
  const words = [...(label === undefined ? [] : [label]), ...types, ...(preferred === true ? ['preferred'] : [])];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** What became of a file, and a line for each contact of it that failed. */
export function importText({ imported, skipped, overwritten, failed, errors }: CardImportResult): string {
  const parts = [
    `${counted(imported, 'contact')} imported`,
    ...(skipped > 0 ? [`${skipped} there before`] : []),
    ...(overwritten > 0 ? [`${overwritten} overwritten`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  const lines = errors.map(({ line, name, message }) =>
    escapeForTerminal(`line ${line}${name === undefined ? '' : ` (${name})`}: ${message}`),
  );
  return [`${parts.join(', ')}.`, ...lines].join('\n');
}
