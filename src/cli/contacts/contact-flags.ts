import { Flags } from '@oclif/core';
import type { RawInputOf } from '../../contract/operation.ts';
import type { contacts } from '../../contract/contacts.ts';

type Given = Omit<RawInputOf<typeof contacts.createCard>, 'bookId' | 'vcard'>;
type Change = Omit<RawInputOf<typeof contacts.updateCard>, 'bookId' | 'cardId' | 'ifMatch'>;

const many = { multiple: true, multipleNonGreedy: true } as const;

export const contactFlags = {
  email: Flags.string({
    description: 'e-mail address, as a@b or work:a@b; repeat for more',
    helpValue: '[TYPE:]ADDRESS',
    ...many,
  }),
  phone: Flags.string({
    description: 'telephone number, as +49… or cell:+49…; repeat for more',
    helpValue: '[TYPE:]NUMBER',
    ...many,
  }),
  url: Flags.string({ description: 'address on the web; repeat for more', helpValue: 'URL', ...many }),
  given: Flags.string({ description: 'given name', helpValue: 'NAME' }),
  family: Flags.string({ description: 'family name', helpValue: 'NAME' }),
  organization: Flags.string({ description: 'organization or company', helpValue: 'NAME' }),
  title: Flags.string({ description: 'job title', helpValue: 'TITLE' }),
  birthday: Flags.string({ description: 'birthday: 1990-02-03, or --02-03 without a year', helpValue: 'DAY' }),
  note: Flags.string({ description: 'note', helpValue: 'TEXT' }),
  category: Flags.string({ description: 'category; repeat for more', helpValue: 'NAME', ...many }),
};

interface ContactFlags {
  readonly email?: readonly string[] | undefined;
  readonly phone?: readonly string[] | undefined;
  readonly url?: readonly string[] | undefined;
  readonly given?: string | undefined;
  readonly family?: string | undefined;
  readonly organization?: string | undefined;
  readonly title?: string | undefined;
  readonly birthday?: string | undefined;
  readonly note?: string | undefined;
  readonly category?: readonly string[] | undefined;
}

/** Fields that flags name. Those that no flag names are missing. */
export function fieldsFrom(displayName: string | undefined, flags: ContactFlags): Given {
  const { email, phone, url, given, family, organization, title, birthday, note, category } = flags;
  const name = { ...(given !== undefined && { given }), ...(family !== undefined && { family }) };
  return {
    ...(displayName !== undefined && { displayName }),
    ...(Object.keys(name).length > 0 && { name }),
    ...(email !== undefined && { emails: email.map(entryFrom) }),
    ...(phone !== undefined && { phones: phone.map(entryFrom) }),
    ...(url !== undefined && { urls: url.map((value) => ({ value })) }),
    ...(organization !== undefined && { organization }),
    ...(title !== undefined && { title }),
    ...(birthday !== undefined && { birthday }),
    ...(note !== undefined && { note }),
    ...(category !== undefined && { categories: [...category] }),
  };
}

/** A type stands before a colon, which neither an address nor a number has. */
function entryFrom(text: string): { value: string; types?: string[] } {
  const [, type, value] = /^([a-z][a-z0-9-]*):(.+)$/i.exec(text) ?? [];
  return type === undefined || value === undefined ? { value: text } : { value, types: [type.toLowerCase()] };
}

/** Fields that can be removed, by the flags that give them. */
const removable = {
  email: { emails: [] },
  phone: { phones: [] },
  url: { urls: [] },
  organization: { organization: null, units: [] },
  title: { title: null },
  birthday: { birthday: null },
  note: { note: null },
  category: { categories: [] },
} as const satisfies Readonly<Record<string, Change>>;

export const clearFlag = {
  clear: Flags.string({
    description: 'remove this field; repeat for more',
    options: Object.keys(removable),
    ...many,
  }),
};

export function clearedBy(names: readonly string[] = []): Change {
  const all: Readonly<Record<string, Change>> = removable;
  return Object.assign({}, ...names.map((name) => all[name])) as Change;
}
