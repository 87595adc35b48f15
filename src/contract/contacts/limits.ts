/** Rate limits. */
export const contactsRates = {
  contactsChange: {
    key: 'contacts_change',
    perAccount: { rate: '1200/5m', text: 'Changes of address books and contacts by one member' },
  },
  contactsImport: {
    key: 'contacts_import',
    perAccount: { rate: '60/1h', text: 'Files that one member imports into address books' },
  },
} as const;

const MEBIBYTE = 1024 ** 2;

/** The book of the members whom one knows. It has no row, and nobody changes it. */
export const membersBook = 'members';

/** What an import does with a contact whose UID the book has. */
export const cardDuplicateModes = ['skip', 'overwrite', 'create-new'] as const;
export type CardDuplicateMode = (typeof cardDuplicateModes)[number];

/** Sizes and numbers of contacts. Services import them too. */
export const contactsLimits = {
  /** characters of the name of a book */
  name: 255,
  /** characters of the description of a book */
  about: 2_000,
  /** books of one member */
  books: 50,
  /** contacts of one book */
  cards: 10_000,
  /** contacts that one completion looks at, and members that the book of members has */
  looked: 10_000,
  /** bytes of one contact as vCard, with its pictures */
  cardBytes: MEBIBYTE,
  /** properties of one contact; the members of a group do not count */
  lines: 256,
  /** characters of a UID */
  uid: 1_024,
  /** bytes of a file that is imported */
  importFile: 16 * MEBIBYTE,
  /** problems of an import that are named */
  importErrors: 100,
  /** characters of a search */
  search: 200,
  /** contacts of a page */
  page: 50,
  mostOnPage: 500,
  /** addresses that complete a text */
  completions: 20,
  /** the largest group, channel or hub whose members know each other */
  roomMembers: 200,
  /** entries of each kind, such as e-mail addresses */
  entries: 50,
  /** characters of a name, an organization, or another field of one line */
  line: 1_024,
  /** characters of a note */
  note: 65_536,
} as const;
