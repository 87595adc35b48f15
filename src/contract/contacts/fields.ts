import * as v from 'valibot';
import { keepsDirection, visible } from '../shown-text.ts';
import { line, paragraph, timestamp, verbatim } from '../text.ts';
import { contactsLimits, membersBook } from './limits.ts';

/** What operations of contacts take and return alike. */

export const contactsRoot = '/api/contacts/books';

const bookId = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:members|[0-9a-fA-F]{32})$/, `must be the id of an address book, or ${membersBook}`),
  v.toLowerCase(),
);

/** Those of the book of members are ids of members. */
export const cardId = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[0-9a-fA-F]{24}|[0-9a-fA-F]{32})$/, 'must be the id of a contact'),
  v.toLowerCase(),
);

export const bookName = v.pipe(
  line(contactsLimits.name),
  v.check((text) => text.trim() !== '', 'must not be blank'),
  v.normalize('NFC'),
  visible,
  keepsDirection,
);

export const bookAbout = paragraph(contactsLimits.about);

/** Longer in characters than a card may be in bytes is refused before anybody reads it. */
export const vcard = v.pipe(
  verbatim(contactsLimits.cardBytes),
  v.description(
    `one vCard of version 3.0 or 4.0, at most 1 MiB with its pictures and ${contactsLimits.lines} properties; it is kept octet for octet. One without a UID gets one`,
  ),
  v.metadata({ 'x-in-example': false }),
);

const text = line(contactsLimits.line);
/** Empty is the same as missing, so that what was read can be written. */
const anyLine = v.union([v.literal(''), text]);

const entryOf = <V extends v.GenericSchema<unknown, string>>(value: V) =>
  v.object({
    value,
    types: v.optional(
      v.pipe(
        v.array(v.pipe(line(64), v.regex(/^[A-Za-z0-9-]+$/, 'must be a word such as home'), v.toLowerCase())),
        v.maxLength(10, 'must be at most 10 types'),
        v.description('such as `home`, `work` or `cell`'),
      ),
    ),
    label: v.optional(v.pipe(line(255), v.description('a name that somebody gave it'))),
    preferred: v.optional(v.boolean('must be true or false')),
  });

const manyOf = <S extends v.GenericSchema>(schema: S) =>
  v.pipe(v.array(schema), v.maxLength(contactsLimits.entries, `must be at most ${contactsLimits.entries}`));

const nameParts = v.object({
  family: v.optional(anyLine),
  given: v.optional(anyLine),
  additional: v.optional(anyLine),
  prefix: v.optional(anyLine),
  suffix: v.optional(anyLine),
});

const postalAddress = v.object({
  poBox: v.optional(anyLine),
  extended: v.optional(anyLine),
  street: v.optional(v.pipe(paragraph(contactsLimits.line))),
  city: v.optional(anyLine),
  region: v.optional(anyLine),
  postalCode: v.optional(anyLine),
  country: v.optional(anyLine),
});

const birthday = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:\d{4}|-)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, 'must be a day such as 1990-02-03 or --02-03'),
);

const address = v.pipe(
  line(320),
  v.check((given) => /^[^@]+@[^@]+$/.test(given), 'is not an e-mail address'),
);

/** The plain fields of a contact, each optional. */
export const cardFields = {
  displayName: v.optional(text),
  name: v.optional(v.pipe(nameParts, v.examples([{ family: 'Lovelace', given: 'Ada' }]))),
  emails: v.optional(
    v.pipe(manyOf(entryOf(address)), v.examples([[{ value: 'ada@example.org', types: ['work'], preferred: true }]])),
  ),
  phones: v.optional(
    v.pipe(manyOf(entryOf(line(255))), v.examples([[{ value: '+44 20 7946 0000', types: ['cell'] }]])),
  ),
  addresses: v.optional(
    v.pipe(
      manyOf(v.object({ ...entryOf(text).entries, value: postalAddress })),
      v.examples([[{ value: { street: '12 St James’s Square', city: 'London' }, types: ['home'] }]]),
    ),
  ),
  organization: v.optional(text),
  units: v.optional(v.pipe(manyOf(text), v.description('parts of the organization, the largest first'))),
  title: v.optional(v.pipe(text, v.examples(['Countess']))),
  birthday: v.optional(v.pipe(birthday, v.examples(['--12-10']))),
  note: v.optional(paragraph(contactsLimits.note)),
  urls: v.optional(v.pipe(manyOf(entryOf(line(2_048))), v.examples([[{ value: 'https://ada.example' }]]))),
  categories: v.optional(manyOf(line(255))),
};

type Fields = typeof cardFields;
/** The same for a change: what is left out stays, null removes it. */
export const cardChanges = Object.fromEntries(
  Object.entries(cardFields).map(([name, field]) => [name, v.optional(v.nullable(field.wrapped))]),
) as {
  readonly [Name in keyof Fields]: v.OptionalSchema<v.NullableSchema<Fields[Name]['wrapped'], undefined>, undefined>;
};

export type CardFields = v.InferOutput<v.ObjectSchema<Fields, undefined>>;
export type CardChanges = { readonly [Name in keyof CardFields]?: CardFields[Name] | null | undefined };

const shownEntry = v.object({
  value: v.string(),
  types: v.array(v.string()),
  label: v.optional(v.string()),
  preferred: v.optional(v.literal(true)),
});
export type CardEntry = v.InferOutput<typeof shownEntry>;

const kind = v.pipe(v.string(), v.description('`individual`, `group`, `org`, `location` or another one'));

/** A contact as lists have it. */
export const listedCard = v.object({
  id: v.string(),
  bookId: v.string(),
  etag: v.string(),
  kind,
  displayName: v.string(),
  organization: v.string(),
  emails: v.pipe(v.array(shownEntry), v.examples([[{ value: 'ada@example.org', types: ['work'] }]])),
  phones: v.pipe(v.array(shownEntry), v.examples([[{ value: '+44 20 7946 0000', types: ['cell'] }]])),
});
export type ListedCard = v.InferOutput<typeof listedCard>;

const part = v.string();
const shownAddress = v.object({
  ...shownEntry.entries,
  value: v.object({
    poBox: part,
    extended: part,
    street: part,
    city: part,
    region: part,
    postalCode: part,
    country: part,
  }),
});
export type CardAddress = v.InferOutput<typeof shownAddress>;

/** A whole contact. */
export const shownCard = v.object({
  ...listedCard.entries,
  uid: v.string(),
  version: v.pipe(v.string(), v.description('of the vCard')),
  name: v.object({ family: part, given: part, additional: part, prefix: part, suffix: part }),
  addresses: v.pipe(v.array(shownAddress), v.examples([[]])),
  units: v.array(part),
  title: part,
  birthday: v.optional(v.pipe(part, v.description('such as `1990-02-03`, or `--02-03` without a year'))),
  note: part,
  urls: v.pipe(v.array(shownEntry), v.examples([[{ value: 'https://ada.example', types: [] }]])),
  categories: v.array(part),
  hasPhoto: v.boolean(),
  vcard: v.pipe(part, v.description('all of it, as it was given')),
  dateCreated: v.optional(timestamp),
  dateModified: v.optional(timestamp),
});
export type ShownCard = v.InferOutput<typeof shownCard>;

export const inBook = { bookId };
