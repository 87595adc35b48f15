import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { engines } from '../support/stores.ts';
import { masterPassword, openScene, said, shareWith } from './scene.ts';

/** A word that is nowhere else, in what it would look like in a store or a log. */
function spellings(word: string): string[] {
  const bytes = Buffer.from(word);
  // Base 64 begins at any of three offsets; the ends depend on what stands beside.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [word, word.toLowerCase(), bytes.toString('hex'), ...base64, bytes.toString('base64url').slice(0, -4)];
}

function leaks(canaries: readonly string[], place: string | Uint8Array): string[] {
  const text = typeof place === 'string' ? place : Buffer.from(place).toString('latin1');
  return canaries.filter((canary) => spellings(canary).some((spelling) => text.includes(spelling)));
}

/** Every row of every table, blobs as they are. */
async function everything({ store, db }: Context): Promise<string> {
  const tables =
    store.engine === 'sqljs'
      ? await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db)
      : await sql<{
          name: string;
        }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(db);
  const parts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    for (const row of rows)
      for (const value of Object.values(row))
        parts.push(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value));
  }
  return parts.join('\n');
}

describe('the search for canaries', () => {
  it('finds them in every spelling', () => {
    const canary = 'Canary-7c1f-Song';
    for (const text of [
      canary,
      Buffer.from(canary).toString('hex'),
      Buffer.from(`x${canary}y`).toString('base64'),
      canary.toLowerCase(),
    ])
      expect(leaks([canary], `before ${text} after`)).toEqual([canary]);
    expect(leaks([canary], 'nothing of the kind')).toEqual([]);
  });
});

describe.each(engines)('what people keep in a vault on %s', (engine) => {
  it('stands nowhere in clear: not in the store, its file, the blocks, the ledger, the audit log, nor in any log line or error', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    let count = 0;
    const canaries: string[] = [];
    const plant = (what: string): string => {
      count += 1;
      const canary = `Canary${count}-${what}-Zx9Qw7Lk`;
      canaries.push(canary);
      return canary;
    };
    const errors: string[] = [];
    const attempt = async (...request: Parameters<typeof scene.call>) => {
      const answer = await scene.call(...request);
      if (answer.status !== 200) errors.push(JSON.stringify(answer.body));
      return answer;
    };
    const made = await attempt(
      'POST',
      '/vaults',
      { name: plant('VaultName'), masterPassword: plant('Master') },
      undefined,
      {
        'idempotency-key': 'once',
      },
    );
    const at = `/vaults/${made.body.data.vault.id}`;
    await attempt('PUT', at, { name: plant('NewName') });
    const { body } = await attempt('POST', `${at}/entries`, {
      type: 'login',
      title: plant('Title'),
      username: plant('User'),
      password: plant('Password'),
      siteUrl: `https://${plant('Site')}.example`,
      totpSecret: plant('Totp'),
      urls: [{ uri: plant('Url'), match: 'exact' }],
      notes: plant('Notes'),
      customFields: [{ name: plant('FieldName'), value: plant('FieldValue'), hidden: true }],
      passwordHistory: [{ password: plant('Older'), changedAt: null }],
      tags: [plant('Tag')],
    });
    const entry = `${at}/entries/${body.data.entry.id}`;
    await attempt('POST', `${at}/entries`, {
      type: 'credit_card',
      title: plant('Card'),
      cardholderName: plant('Holder'),
      cardNumber: plant('Number'),
      cvv: plant('Cvv'),
    });
    await attempt('POST', `${at}/entries`, { type: 'secure_note', title: plant('Note'), content: plant('Content') });
    await attempt('PUT', entry, { password: plant('NextPassword') });
    await attempt('GET', entry);
    const content = Buffer.from(plant('AttachmentContent')).toString('base64');
    await attempt('POST', `${entry}/attachments`, {
      filename: plant('Filename'),
      mimeType: `text/${plant('Mime')}`,
      content,
    });
    const csv = `name,url,username,password\n${plant('Imported')},https://x.example,u,${plant('ImportedPassword')}\n`;
    await attempt('POST', `${at}/import`, { format: 'browserA_csv', fileContent: Buffer.from(csv).toString('base64') });
    await attempt('POST', `${at}/export`, { password: plant('ExportPassword') });
    await attempt('GET', `${at}/export`);
    await attempt('POST', `${at}/search`, { query: plant('Query') });
    await attempt('POST', `${at}/autofill`, { siteUrl: `https://${plant('Page')}.example` });
    await attempt('GET', `${at}/health?breaches=skip`);
    // What fails has to be as silent as what works.
    await attempt('POST', `${at}/open`, { masterPassword: plant('WrongMaster') });
    await attempt('POST', `${at}/entries`, {
      type: plant('WrongType'),
      title: 'x',
      password: plant('RefusedPassword'),
    });
    await attempt('POST', `${at}/entries`, { type: 'secure_note', title: 'x', password: plant('MisplacedPassword') });
    await attempt('POST', `${at}/import`, {
      format: 'managerC_json',
      fileContent: Buffer.from(`{"${plant('BrokenFile')}`).toString('base64'),
    });
    await attempt('POST', `${at}/import`, { format: 'auto', fileContent: plant('NotBase64 ') });
    await attempt('POST', '/totp/generate', { secret: plant('BadSecret!') });
    await attempt('POST', '/totp/generate', { secret: `otpauth://totp/x?secret=${plant('BadUri')}` });
    await attempt('POST', '/generate-password', { length: plant('BadLength') });
    await house.ctx.store.db.updateTable('passvault_entries').set({ version: 99 }).execute();
    expect(said(await attempt('GET', entry))).toBe('500 INTERNAL_ERROR');
    expect(errors.length).toBeGreaterThanOrEqual(9);

    expect(leaks(canaries, await everything(house.ctx)), 'rows').toEqual([]);
    expect(leaks(canaries, JSON.stringify(house.log.lines)), 'log').toEqual([]);
    expect(leaks(canaries, errors.join('\n')), 'errors').toEqual([]);
    const audit = await scene.call('GET', `${at}/audit-log?limit=1000`);
    expect(audit.body.data.entries.length).toBeGreaterThan(10);
    expect(leaks(canaries, JSON.stringify(audit.body)), 'audit log').toEqual([]);
    for await (const { id } of house.ctx.blocks.list())
      expect(leaks(canaries, await house.ctx.blocks.get(id)), 'block').toEqual([]);
    await house.ctx.store.snapshot(async (source) => {
      if (source.kind === 'file') expect(leaks(canaries, await readFile(source.file)), 'file').toEqual([]);
      expect(source.kind).toBe(engine === 'sqljs' ? 'file' : 'handle');
    });
  });

  it('is as silent where a vault is shared and recovered', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    await scene.login({ password: 'Canary-of-a-shared-vault' });
    await shareWith(scene, friend);
    await scene.in('POST', '/emergency-access', { threshold: 1, trustees: [friend.memberId] });
    const { share } = await scene.in('GET', '/emergency-share', undefined, friend.token);
    await scene.in(
      'POST',
      '/emergency-recover',
      { shares: [{ trusteeId: friend.memberId, encryptedShare: share.recoveryShare }] },
      friend.token,
    );
    await scene.in('POST', '/revoke-share', { memberId: friend.memberId });
    const hidden = ['Canary-of-a-shared-vault', masterPassword, friend.password, share.recoveryShare];
    expect(leaks(hidden, await everything(scene.house.ctx))).toEqual([]);
    expect(leaks(hidden, JSON.stringify(scene.house.log.lines))).toEqual([]);
  });
});
