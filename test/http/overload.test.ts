import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { allOperations } from '../../src/contract/all.ts';
import { envelopes } from '../../src/contract/envelope.ts';
import { members } from '../../src/contract/accounts/members.ts';
import { node } from '../../src/contract/node.ts';
import type { JsonOperation, Operation } from '../../src/contract/operation.ts';
import { passvault } from '../../src/contract/passvault.ts';
import { leaving as chatLeaving } from '../../src/contract/chat/leaving.ts';
import { social } from '../../src/contract/social.ts';
import { heavyWork } from '../../src/service/heavy-work.ts';
import { protectTask } from '../../src/services/passvault/transfer/export/protect-task.ts';
import { tableCounts } from '../../src/platform/store/census.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines, temporaryFolder } from '../support/stores.ts';

const masterPassword = 'a master password of my own';
const fresh = { username: 'fresh', email: 'fresh@example.org', password: 'analytical engines' };

/** Rows of every table but the logs: that somebody wanted to export a vault is noted before it is done. */
async function counts(house: House) {
  return (await tableCounts(house.ctx.store)).filter(({ name }) => !/^ledger_|_audit$/.test(name));
}

/** What waits for something else than the queue of heavy work, and is tested with it. */
const otherwise = new Set([
  'passvault.revoke-share',
  'passvault.deny-emergency-recovery',
  'passvault.add-attachment',
  'passvault.import',
  // Opens attachments in threads: test/platform/workers/offload.thorough.test.ts
  'passvault.export',
  // Works in threads: test/services/quorum/documents-busy.thorough.test.ts
  'quorum.seal',
  'quorum.unseal',
  // test/attacks/unread-answers.soak.test.ts
  'passvault.show-attachment',
  'passvault.export-protected',
  // Pictures are checked in threads: test/services/social/media-memory.soak.test.ts
  'social.upload-media',
  // Read and written in threads: test/services/mail/busy.test.ts
  'mail.content',
  'mail.attachment',
  'mail.send',
  'mail.reply',
  'mail.forward',
  'mail.upload',
  // Waits for nothing but its own blocks: test/services/chat/attachments.test.ts
  'chat.upload-attachment',
  // Waits for nothing but its own block: test/services/filevault/uploads.test.ts
  'filevault.put-chunk',
  // In threads, and in queues of their own: test/services/filevault/busy.test.ts
  'filevault.create-link',
  'filevault.open-link',
  'filevault.download-link',
  'filevault.create-canary',
  'filevault.change-canary',
  'filevault.check-in',
  'filevault.preview',
  'filevault.read-watermark',
  'filevault.non-access-proof',
  // Waits for the scanner: test/services/filevault/scanning.thorough.test.ts
  'filevault.finalize-upload',
  // Only when the file changes all the time: test/services/filevault/sharing.test.ts
  'filevault.share',
  // It reads an address of the request, which has to be known
  'filevault.show-magnet',
  'mail.send-raw',
  'mail.import',
  'mail.create-draft',
  'mail.update-draft',
  'mail.send-draft',
]);

interface Attempt {
  readonly operation: Operation;
  readonly input: Record<string, unknown>;
  readonly token?: string | undefined;
  readonly trusted?: boolean;
}

/** Requests that need heavy work (Argon2id, PBKDF2, bcrypt), each of them right in every other way. */
async function attempts(house: House, folder: string): Promise<Attempt[]> {
  const secret = new Uint8Array(32).fill(7);
  await writeFile(house.ctx.config.nodeSecretFile, secret, { mode: 0o600 });
  const member = await house.register();
  const { token, username, password, email, mnemonic } = member;
  const { backupCodes } = (await house.perform(accounts.createBackupCodes, {}, token)).body as {
    backupCodes: string[];
  };
  const made = (await house.perform(passvault.createVault, { name: 'Home', masterPassword }, token)).body.data;
  const vaultId = made.vault.id as string;
  const newPassword = 'a different thing';
  const operator = { token: await house.operatorToken(), trusted: true };
  return [
    { operation: accounts.register, input: fresh },
    { operation: accounts.login, input: { username, password } },
    { operation: accounts.login, input: { username: 'nobody', password } },
    { operation: accounts.recover, input: { email, mnemonic, newPassword } },
    { operation: accounts.changePassword, input: { currentPassword: password, newPassword }, token },
    { operation: accounts.createBackupCodes, input: {}, token },
    { operation: accounts.replaceBackupCodes, input: {}, token },
    { operation: accounts.recoverBackup, input: { backupCode: backupCodes[0] }, token },
    { operation: members.createAdministrator, input: fresh, ...operator },
    {
      operation: node.backUpStore,
      input: { path: join(folder, 'b.tar'), passphrase: 'a long passphrase' },
      ...operator,
    },
    { operation: passvault.createVault, input: { name: 'Work', masterPassword }, token },
    { operation: passvault.openVault, input: { vaultId, masterPassword }, token },
    {
      operation: passvault.changeMasterPassword,
      input: { vaultId, masterPassword, newMasterPassword: 'quite another one' },
      token,
    },
    { operation: passvault.deleteVault, input: { vaultId, masterPassword }, token },
    { operation: social.leave, input: { id: member.memberId, password }, token },
    { operation: chatLeaving.leaveAll, input: { password }, token },
  ];
}

describe.each(engines)('when no more heavy work may wait, on %s', (engine) => {
  it('whatever needs some answers 503 OVERLOADED in its envelope, writes nothing, and works afterwards', async () => {
    await using folder = await temporaryFolder();
    const heavy = heavyWork({ atOnce: 1, queued: 0 });
    await using house = await openHouse(engine, { context: { heavy } });
    const all = await attempts(house, folder.path);
    const declared = allOperations().filter((op) => op.errors.includes('OVERLOADED'));
    const tried = new Set(all.map(({ operation }) => operation.id));
    expect(declared.map(({ id }) => id).filter((id) => !otherwise.has(id) && !tried.has(id))).toEqual([]);

    const before = await counts(house);
    let release = () => {};
    const busy = heavy.run(() => new Promise<void>((resolve) => (release = resolve)));
    for (const { operation, input, token, trusted = false } of all) {
      const answer = await house.perform(operation as JsonOperation, input, token, { trusted });
      const failure = envelopes[operation.envelope].failed(answer.body);
      expect([operation.id, answer.status, failure?.code]).toEqual([operation.id, 503, 'OVERLOADED']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(operation.errors).toContain('OVERLOADED');
    }
    expect(await counts(house)).toEqual(before);
    release();
    await busy;

    for (const operation of [accounts.login, passvault.openVault]) {
      const { input, token } = all.find((one) => one.operation === operation)!;
      expect((await house.perform(operation as JsonOperation, input, token)).status).toBe(200);
    }
  });

  it('protected exports are refused while too many of others wait', async () => {
    await using house = await openHouse(engine);
    const { token } = await house.register();
    const made = (await house.perform(passvault.createVault, { name: 'Home', masterPassword }, token)).body.data;
    const asked = { vaultId: made.vault.id as string, password: 'password of the file' };
    const stop = new AbortController();
    // Takes ten times as long as one of an empty vault, so that none of them has ended before the export asks.
    const json = 'x'.repeat(2 ** 26);
    const others = Array.from({ length: protectTask.atOnce + protectTask.queued }, async (_, at) => {
      const job = { json, password: 'password of the file' };
      return await house.ctx.offload.of(`member ${at}`).run(protectTask, job, { signal: stop.signal });
    });
    const ended = Promise.allSettled(others);
    const refused = await house.perform(passvault.exportProtected, asked, token);
    const failure = envelopes[passvault.exportProtected.envelope].failed(refused.body);
    expect([refused.status, failure?.code]).toEqual([503, 'OVERLOADED']);
    expect(failure?.message).toContain('too much work');
    stop.abort(new Error('enough'));
    await ended;
    expect((await house.perform(passvault.exportProtected, asked, token)).status).toBe(200);
  });
});
