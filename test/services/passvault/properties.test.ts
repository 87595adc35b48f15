import { describe, expect, it } from 'vitest';
import type { KeptEntry } from '../../../src/contract/passvault/entry.ts';
import { packPage, propertiesOf, unpackPage } from '../../../src/services/passvault/vaults/properties.ts';

const row = { id: '0a'.repeat(16), version: 3, createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_001 };
const bare: KeptEntry = { type: 'secure_note', title: 'Note', tags: [], favorite: false, archived: false };
const full: KeptEntry = {
  ...bare,
  type: 'login',
  title: 'Häuschen',
  tags: ['a', 'b'],
  favorite: true,
  archived: true,
  totpSecret: 'GEZDGNBV',
  username: 'alice',
  siteUrl: 'https://home.example',
  urls: [{ uri: 'https://home.example', match: 'domain' }],
};

describe('a page of property records', () => {
  // Vaults that exist are written so: whoever changes this has to read both.
  const written =
    `[["${row.id}",2,0,3,1700000000000,1700000000001,"Note","","",0,0],` +
    `["${row.id}",0,7,3,1700000000000,1700000000001,"Häuschen","alice","https://home.example",["a","b"],[["https://home.example","domain"]]]]`;

  it('is written as lists, and read as what it was', () => {
    const records = [propertiesOf(bare, row), propertiesOf(full, row)];
    expect(packPage(records)).toBe(written);
    expect(unpackPage(written)).toEqual(records);
  });

  it('holds what lists show of an entry', () => {
    const long = { ...full, title: `${'x'.repeat(999)}👍`, siteUrl: `https://${'y'.repeat(2_000)}.example` };
    expect(propertiesOf(long, row)).toMatchObject({ title: 'x'.repeat(999), siteUrl: '', hasTotp: true });
  });
});
