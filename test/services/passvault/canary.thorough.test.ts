import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { canaries as newCanaries, leaks } from '../../support/canaries.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith } from './scene.ts';
import { allRows } from './store-contents.ts';

/** Every row of every table, blobs as they are. */
async function everything(ctx: Context): Promise<string> {
  const parts: string[] = [];
  for (const rows of (await allRows(ctx)).values()) {
    for (const row of rows)
      for (const value of Object.values(row))
        parts.push(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value));
  }
  return parts.join('\n');
}

/** SQLite puts what is written beside the database away when it likes. */
function noFile(error: NodeJS.ErrnoException): Uint8Array {
  if (error.code === 'ENOENT') return new Uint8Array();
  throw error;
}

describe('the search for canaries', () => {
  it('finds them in every spelling', () => {
    const canary = 'Canary-7c1f-Song';
    for (const text of [
      canary,
      Buffer.from(canary).toString('hex'),
      Buffer.from(`x${canary}y`).toString('base64'),
      canary.toLowerCase(),
      Buffer.from(`x${canary}y`).toString('hex').toUpperCase(),
      Buffer.from(`xx${canary}y`).toString('base64url'),
      Buffer.from(canary, 'utf16le').toString('latin1'),
      Buffer.from(canary, 'utf16le').toString('base64'),
      Buffer.from(canary, 'utf16le').swap16().toString('latin1'),
    ])
      expect(leaks([canary], `before ${text} after`)).toEqual([canary]);
    expect(leaks([canary], 'nothing of the kind')).toEqual([]);
  });
});

describe.each(engines)('what people keep in a vault on %s', (engine) => {
  it('stands nowhere in clear: not in the store, its file, the blocks, the ledger, the audit log, nor in any log line or error', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    const { all: canaries, plant, add } = newCanaries();
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
    // The account that it all hangs on.
    const names = { username: 'canary', email: 'canary@example.org' };
    const registered = await house.perform(accounts.register, { ...names, password: plant('AccountPassword') });
    const { token, mnemonic } = registered.body.data;
    add(mnemonic);
    const made10 = await house.perform(accounts.replaceBackupCodes, {}, token);
    const code = add(made10.body.backupCodes[0]);
    const signIn = async (password: string) => await house.perform(accounts.login, { username: 'canary', password });
    const refused = [
      await signIn(plant('WrongAccountPassword')),
      await house.perform(
        accounts.recoverBackup,
        { backupCode: plant('WrongCode'), newPassword: plant('Unused') },
        token,
      ),
    ];
    for (const one of refused) errors.push(JSON.stringify(one.body));
    expect(refused.every(({ status }) => status >= 400)).toBe(true);
    const newPassword = plant('NewAccountPassword');
    const recovered = [
      await house.perform(accounts.recoverBackup, { backupCode: code, newPassword }, token),
      await house.perform(accounts.recover, { email: names.email, mnemonic, newPassword: plant('Recovered') }),
    ];
    expect(recovered.map(({ status }) => status)).toEqual([200, 200]);
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
      if (source.kind === 'file') {
        for (const file of [source.file, `${source.file}-wal`])
          expect(leaks(canaries, await readFile(file).catch(noFile)), file).toEqual([]);
      }
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
