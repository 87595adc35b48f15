import { describe, expect, it } from 'vitest';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { keePassEntry, keePassXml } from './transfer/import/samples.ts';
import { masterPassword, openScene, said, type Scene } from './scene.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const chrome = (...rows: string[]) => base64(['name,url,username,password', ...rows, ''].join('\n'));
const counts = ({ imported, skipped, errors }: { imported: number; skipped: number; errors: unknown[] }) => [
  imported,
  skipped,
  errors.length,
];

/** All of a vault's entries, without what each vault gives them anew. */
async function contents(scene: Scene): Promise<unknown[]> {
  const { entries } = await scene.in('GET', '/entries');
  const found: { title: string }[] = [];
  for (const { id } of entries) {
    const { id: _, vaultId: __, version: ___, ...entry } = (await scene.in('GET', `/entries/${id}`)).entry;
    const attachments = [];
    for (const attachment of entry.attachments) {
      const read = (await scene.in('GET', `/entries/${id}/attachments/${attachment.id}`)).attachment;
      attachments.push({ ...read, id: '' });
    }
    found.push({ ...entry, attachments });
  }
  return found.toSorted((one, other) => (one.title < other.title ? -1 : 1));
}

describe.each(engines)('an import on %s', (engine) => {
  it('brings all records, on record in one piece', async () => {
    await using scene = await openScene(engine);
    const fileContent = chrome('Shop,https://shop.example,bob, 007 ', 'Mail,https://mail.example,bob,=cmd');
    const report = await scene.in('POST', '/import', { format: 'auto', fileContent });
    expect(report).toMatchObject({ imported: 2, skipped: 0, errors: [], format: 'browserA_csv', dryRun: false });
    expect(await contents(scene)).toMatchObject([
      { title: 'Mail', password: '=cmd' },
      { title: 'Shop', password: ' 007 ', siteUrl: 'https://shop.example' },
    ]);
    const log = await scene.in('GET', '/audit-log');
    const created = log.entries.find((one: { action: string }) => one.action === 'ENTRY_CREATED');
    expect(created.metadata).toEqual({ by: 'import', format: 'browserA_csv', count: 2 });
    expect((await scene.call('GET', '/vaults')).body.data.vaults[0].entryCount).toBe(2);
  });

  it('counts what there is of each type, and takes the recycle bin only when it is told to', async () => {
    await using scene = await openScene(engine);
    const bin = Buffer.alloc(16, 1).toString('base64');
    const discarded = `<Group><UUID>${bin}</UUID><Name>Bin</Name>${keePassEntry({ Title: 'Old', Password: 'p' })}</Group>`;
    const file = keePassXml(
      keePassEntry({ Title: 'Login', Password: 'p' }) + keePassEntry({ Title: 'Note', Notes: 'n' }) + discarded,
      `<RecycleBinUUID>${bin}</RecycleBinUUID>`,
    );
    const input = { format: 'auto', fileContent: base64(file), dryRun: true };
    const without = await scene.in('POST', '/import', input);
    expect(counts(without)).toEqual([2, 1, 0]);
    expect(without.types).toEqual({ login: 1, credit_card: 0, secure_note: 1 });
    const whole = await scene.in('POST', '/import', { ...input, includeRecycleBin: true });
    expect(counts(whole)).toEqual([3, 0, 0]);
    expect(whole.types).toEqual({ login: 2, credit_card: 0, secure_note: 1 });
  });

  it('takes a table by its columns, and the names of managers', async () => {
    await using scene = await openScene(engine);
    const fileContent = base64('Wo;Wer;Was\nShop;bob;secret\n');
    const attempt = async (body: object) =>
      await scene.call('POST', `/vaults/${scene.vaultId}/import`, { fileContent, ...body });
    expect(said(await attempt({ format: 'auto' }))).toBe('400 UNSUPPORTED_FORMAT');
    expect(said(await attempt({ format: 'auto', columns: { name: 'Wo' } }))).toBe('400 VALIDATION_ERROR');
    expect(said(await attempt({ format: 'auto', columns: { title: 'Gone' } }))).toBe('400 VALIDATION_ERROR');
    expect(said(await attempt({ format: 'keepass' }))).toBe('400 UNSUPPORTED_FORMAT');
    const columns = { title: 'Wo', username: 'Wer', password: 'Was' };
    const report = await scene.in('POST', '/import', { format: 'auto', fileContent, columns });
    expect(report).toMatchObject({ imported: 1, format: 'csv', errors: [] });
    expect(await contents(scene)).toMatchObject([{ title: 'Shop', username: 'bob', password: 'secret' }]);
    const named = { format: 'chrome', fileContent: chrome('Mail,https://mail.example,bob,s'), dryRun: true };
    expect(await scene.in('POST', '/import', named)).toMatchObject({ imported: 1, format: 'browserA_csv' });
  });

  it('of a dry run writes nothing', async () => {
    await using scene = await openScene(engine);
    const fileContent = chrome('Shop,https://shop.example,bob,secret');
    expect(counts(await scene.in('POST', '/import', { format: 'browserA_csv', fileContent, dryRun: true }))).toEqual([
      1, 0, 0,
    ]);
    expect((await scene.in('GET', '/entries')).entries).toEqual([]);
    expect((await scene.in('GET', '/audit-log')).entries).toHaveLength(1);
  });

  it('skips duplicates when it is told to', async () => {
    await using scene = await openScene(engine);
    const fileContent = chrome(
      'Shop,https://shop.example,bob,secret',
      'Shop,https://shop.example,bob,secret',
      'Other,https://o.example,bob,secret',
    );
    const input = { format: 'browserA_csv', fileContent, skipDuplicates: true };
    expect(counts(await scene.in('POST', '/import', input))).toEqual([2, 1, 0]);
    expect(counts(await scene.in('POST', '/import', input))).toEqual([0, 3, 0]);
    expect(counts(await scene.in('POST', '/import', { ...input, skipDuplicates: false }))).toEqual([3, 0, 0]);
  });

  it('says what is wrong with a file', async () => {
    await using scene = await openScene(engine);
    const attempt = async (body: object) => said(await scene.call('POST', `/vaults/${scene.vaultId}/import`, body));
    expect(await attempt({})).toBe('400 VALIDATION_ERROR');
    expect(await attempt({ format: 'managerZ_xml', fileContent: 'YQ==' })).toBe('400 UNSUPPORTED_FORMAT');
    expect(await attempt({ format: 'auto', fileContent: base64('nothing that is known') })).toBe(
      '400 UNSUPPORTED_FORMAT',
    );
    expect(await attempt({ format: 'browserA_csv', fileContent: 'no base 64!' })).toBe('400 VALIDATION_ERROR');
    const answer = await scene.call('POST', `/vaults/${scene.vaultId}/import`, {
      format: 'managerC_json',
      fileContent: base64('{"canary-secret'),
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  it('takes a large file', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const row = (at: number) => `Site ${at},https://site-${at}.example,${'u'.repeat(2_000)}${at},p${at}`;
    const fileContent = chrome(...Array.from({ length: 2_000 }, (_, at) => row(at)));
    expect(fileContent.length).toBeGreaterThan(5 * 1024 ** 2);
    expect(counts(await scene.in('POST', '/import', { format: 'browserA_csv', fileContent }))).toEqual([2_000, 0, 0]);
    // Lists have what they can show of a long text; the entry has all of it.
    const { entries } = await scene.in('GET', '/entries');
    expect(entries[0].username).toHaveLength(1_000);
    expect((await scene.in('GET', `/entries/${entries[0].id}`)).entry.username).toHaveLength(2_001);
  });
});

describe.each(engines)('an export on %s', (engine) => {
  const fill = async (scene: Scene) => {
    const id = await scene.login({
      title: 'A',
      password: '  spaces  ',
      siteUrl: 'https://one.example',
      urls: [{ uri: 'https://two.example', match: 'startsWith' }],
      notes: 'a\r\nb',
      customFields: [{ name: 'PIN', value: '007', hidden: true }],
      passwordHistory: [{ password: 'old', changedAt: '2020-01-01T00:00:00.000Z' }],
      totpSecret: 'GEZDGNBVGY3TQOJQ',
      tags: ['x', 'y/z'],
      favorite: true,
    });
    await scene.in('POST', `/entries/${id}/attachments`, {
      filename: 'f.bin',
      mimeType: 'image/png',
      content: 'AAECAw==',
    });
    await scene.in('POST', '/entries', {
      type: 'credit_card',
      title: 'B',
      cardNumber: '4111',
      expirationDate: '12/2030',
      cvv: '1',
    });
    await scene.in('POST', '/entries', { type: 'secure_note', title: 'C', content: ' note ', archived: true });
  };

  it.each(inStage(['plain'], ['plain'], ['plain', 'protected']))('that is %s comes back whole', async (kind) => {
    await using scene = await openScene(engine);
    await using other = await openScene(engine);
    await fill(scene);
    const password = 'password of the file';
    const made =
      kind === 'plain'
        ? await scene.in('GET', '/export?format=bitwarden_json')
        : await scene.in('POST', '/export', { password });
    expect(made).toMatchObject({
      entries: 3,
      mimeType: 'application/json',
      format: kind === 'plain' ? 'bitwarden_json' : 'encrypted',
    });
    const input = { format: 'auto', fileContent: base64(made.content) };
    if (kind === 'protected') {
      expect(made.content).not.toContain('spaces');
      expect(said(await other.call('POST', `/vaults/${other.vaultId}/import`, input))).toBe(
        '400 IMPORT_PASSWORD_REQUIRED',
      );
      const wrong = await other.call('POST', `/vaults/${other.vaultId}/import`, {
        ...input,
        password: 'another password',
      });
      expect(said(wrong)).toBe('400 IMPORT_PASSWORD_WRONG');
    }
    const report = await other.in('POST', '/import', { ...input, ...(kind === 'protected' && { password }) });
    expect(counts(report)).toEqual([3, 0, 0]);
    expect(await contents(other)).toEqual(await contents(scene));
    expect((await scene.in('GET', '/audit-log')).entries.map((one: { action: string }) => one.action)).toContain(
      'VAULT_EXPORTED',
    );
  });

  it('knows when passwords were set, so that old ones are still told after it comes back', async () => {
    const year = 366 * 86_400_000;
    await using scene = await openScene(engine);
    await scene.login({ title: 'Set once', password: 'kX9#vQ2$mL7&pR4!zT6@' });
    const changed = await scene.login({ title: 'Changed', password: 'first' });
    scene.house.clock.advance(year);
    const token = await scene.house.signIn(scene.owner);
    await scene.in('POST', '/open', { masterPassword }, token);
    await scene.in('PUT', `/entries/${changed}`, { password: 'Lw3!mN8@qR5#tY1$uI6%', passwordHistory: [] }, token);
    const { content } = await scene.in('GET', '/export', undefined, token);
    await using other = await openScene(engine);
    other.house.clock.advance(year);
    const theirs = await other.house.signIn(other.owner);
    await other.in('POST', '/open', { masterPassword }, theirs);
    await other.in('POST', '/import', { format: 'auto', fileContent: base64(content) }, theirs);
    for (const [one, by] of [
      [scene, token],
      [other, theirs],
    ] as const) {
      const { old } = await one.in('GET', '/health?breaches=skip', undefined, by);
      expect(old.map(({ title, days }: { title: string; days: number }) => [title, days])).toEqual([['Set once', 366]]);
    }
  });

  it('as a table has the logins', async () => {
    await using scene = await openScene(engine);
    await fill(scene);
    const made = await scene.in('GET', '/export?format=csv');
    expect(made).toMatchObject({ format: 'csv', mimeType: 'text/csv', filename: `vault-${scene.vaultId}.csv` });
    expect(made.content).toContain('https://one.example');
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/export?format=encrypted`))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(said(await scene.call('POST', `/vaults/${scene.vaultId}/export`, { password: 'short' }))).toBe(
      '400 VALIDATION_ERROR',
    );
  });
});
