import { expect, it } from 'vitest';
import type { KeptEntry } from '../../../../../src/contract/passvault/entry.ts';
import { duplicateKey } from '../../../../../src/services/passvault/transfer/import/duplicate.ts';

const login: KeptEntry = {
  type: 'login',
  title: 'A',
  username: 'u',
  password: 'p',
  siteUrl: 'https://a.example',
  tags: [],
  favorite: false,
  archived: false,
};
const note: KeptEntry = {
  type: 'secure_note',
  title: 'N',
  content: 'text',
  tags: [],
  favorite: false,
  archived: false,
};

it('takes logins for the same by type, title, user name, password and address', () => {
  expect(duplicateKey({ ...login, tags: ['x'], favorite: true, notes: 'n', totpSecret: 't' })).toBe(
    duplicateKey(login),
  );
  const changes: Partial<KeptEntry>[] = [
    { title: 'B' },
    { username: 'v' },
    { password: 'q' },
    { siteUrl: 'https://b.example' },
    { type: 'secure_note' },
  ];
  for (const change of changes) expect(duplicateKey({ ...login, ...change })).not.toBe(duplicateKey(login));
});

it('takes notes and cards for the same only with all that they hold', () => {
  expect(duplicateKey({ ...note, tags: ['x'] })).toBe(duplicateKey(note));
  const changes: Partial<KeptEntry>[] = [
    { content: 'other' },
    { customFields: [{ name: 'a', value: 'b', hidden: true }] },
    { type: 'credit_card', cardNumber: '1' },
  ];
  for (const change of changes) expect(duplicateKey({ ...note, ...change })).not.toBe(duplicateKey(note));
  const field = (name: string, value: string) => [{ name, value, hidden: false }];
  expect(duplicateKey({ ...note, customFields: field('ab', 'c') })).not.toBe(
    duplicateKey({ ...note, customFields: field('a', 'bc') }),
  );
});
