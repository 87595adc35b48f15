import { describe, expect, it } from 'vitest';
import { parseReference } from '../../../src/cli/passvault/run/reference.ts';
import { resolveReferences, type EntryLookup } from '../../../src/cli/passvault/run/resolve-references.ts';
import type { Entry } from '../../../src/contract/passvault/entry.ts';
import { Problem } from '../../../src/base/problem.ts';

const entry: Entry = {
  id: '0'.repeat(32),
  vaultId: '1'.repeat(32),
  type: 'login',
  title: 'db',
  username: 'app',
  password: 'hunter2',
  totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  customFields: [
    { name: 'Token', value: 't1', hidden: true },
    { name: 'token', value: 't2', hidden: false },
    { name: 'same', value: 'a', hidden: false },
    { name: 'same', value: 'b', hidden: false },
  ],
  tags: [],
  favorite: false,
  archived: false,
  attachments: [],
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

function counting(): { lookup: EntryLookup; asked: string[] } {
  const asked: string[] = [];
  const lookup: EntryLookup = async (vault, name) => {
    asked.push(`${vault}/${name}`);
    if (vault !== 'Work') throw new Problem('missing', 'VAULT_NOT_FOUND', `There is no vault "${vault}".`);
    if (name === 'twin')
      throw new Problem('conflict', 'AMBIGUOUS', 'Two.', { fields: [{ path: 'id1', message: 'one' }] });
    if (name === 'far') throw new Problem('network', 'NETWORK', 'Could not reach it.');
    return entry;
  };
  return { lookup, asked };
}

const references = (...texts: string[]) => texts.map((text) => parseReference(`conclave://${text}`));

describe('references', () => {
  it('are looked up once for an entry, and say which values are secret', async () => {
    const { lookup, asked } = counting();
    const wanted = references(
      'Work/db',
      'Work/db/username',
      'Work/db/Token',
      'Work/db/token',
      'Work/db/OTP',
      'Work/db/totp-secret',
    );
    const valueOf = await resolveReferences(wanted, lookup, 59_000);
    expect(wanted.map(valueOf)).toEqual([
      { name: 'password', value: 'hunter2', secret: true },
      { name: 'username', value: 'app', secret: false },
      { name: 'Token', value: 't1', secret: true },
      { name: 'token', value: 't2', secret: false },
      { name: 'otp', value: '287082', secret: true },
      { name: 'totp-secret', value: entry.totpSecret, secret: true },
    ]);
    expect(asked).toEqual(['Work/db']);
  });

  it('are refused all together, each with its reason and no value', async () => {
    const wanted = references('Work/db/cvv', 'Home/x', 'Work/db/same', 'Work/twin', 'Work/db/cvv');
    const refused = await resolveReferences(wanted, counting().lookup, 0).catch((error: unknown) => error as Problem);
    expect(refused).toMatchObject({
      kind: 'conflict',
      code: 'AMBIGUOUS',
      fields: [
        { path: 'conclave://Work/db/cvv', message: expect.stringContaining('has no "cvv"') },
        { path: 'conclave://Home/x', message: 'There is no vault "Home".' },
        { path: 'conclave://Work/db/same', message: expect.stringContaining('more than one field') },
        { path: 'conclave://Work/twin', message: 'Two. id1 (one)' },
      ],
    });
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  });

  it('stop where the server cannot be reached', async () => {
    await expect(resolveReferences(references('Work/far'), counting().lookup, 0)).rejects.toMatchObject({
      code: 'NETWORK',
    });
  });
});
