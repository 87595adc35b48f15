import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import type { Method } from '../../../src/contract/operation.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith } from './scene.ts';
import { allRows } from './store-contents.ts';

/** What a vault is in the store: all but the time of the last use, and the blocks that wait to be deleted. */
async function stateOf(ctx: Context): Promise<unknown> {
  const tables = [...(await allRows(ctx))].filter(([name]) =>
    /^(?:passvault_|ledger_entries|session_secrets)/.test(name),
  );
  const rows = tables.map(([name, found]) => [
    name,
    name.startsWith('passvault_block') || name.startsWith('passvault_audit')
      ? []
      : found.map((row) => JSON.stringify({ ...row, used_at: undefined })).toSorted(),
  ]);
  return { rows, blocks: (await ctx.blocks.stat()).blocks };
}

describe.each(engines)('what is on record on %s', (engine) => {
  it('did not happen where it could not be written down, for every action', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const [recipient, trustee, next] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ];
    await shareWith(scene, recipient);
    await scene.in('POST', '/emergency-access', { threshold: 1, trustees: [trustee.memberId] });
    const entryId = await scene.login({ siteUrl: 'https://bank.example' });
    const { attachment } = await scene.in('POST', `/entries/${entryId}/attachments`, {
      filename: 'a',
      content: 'YQ==',
    });
    const { share } = await scene.in('GET', '/emergency-share', undefined, trustee.token);
    const shares = [{ trusteeId: trustee.memberId, encryptedShare: share.recoveryShare }];
    const csv = Buffer.from('name,url,username,password\na,b,c,d\n').toString('base64');
    const at = `/vaults/${scene.vaultId}`;
    const entry = `${at}/entries/${entryId}`;
    const newMasterPassword = 'the next master password';
    /** Others that stand before the last one. */
    const further: Readonly<Record<string, string[]>> = { VAULT_SHARE_REVOKED: ['EMERGENCY_RENEWED'] };
    const operations: [action: string, method: Method, path: string, body?: object | undefined, token?: string][] = [
      ['VAULT_CREATED', 'POST', '/vaults', { name: 'Other', masterPassword }],
      ['VAULT_OPENED', 'POST', `${at}/open`, { masterPassword }],
      ['VAULT_OPENED', 'POST', `${at}/open`, { masterPassword: recipient.password }, recipient.token],
      ['VAULT_RENAMED', 'PUT', at, { name: 'New' }],
      ['ENTRY_CREATED', 'POST', `${at}/entries`, { type: 'login', title: 'x' }],
      ['ENTRY_CREATED', 'POST', `${at}/import`, { format: 'browserA_csv', fileContent: csv }],
      ['ENTRY_READ', 'GET', entry],
      ['ENTRY_READ', 'POST', `${at}/autofill`, { siteUrl: 'https://bank.example' }],
      ['ENTRY_UPDATED', 'PUT', entry, { password: 'next' }],
      ['ATTACHMENT_ADDED', 'POST', `${entry}/attachments`, { filename: 'b', content: 'Yg==' }],
      ['ATTACHMENT_READ', 'GET', `${entry}/attachments/${attachment.id}`],
      ['ATTACHMENT_REMOVED', 'DELETE', `${entry}/attachments/${attachment.id}`],
      ['VAULT_CHECKED', 'GET', `${at}/health?breaches=skip`],
      ['VAULT_EXPORTED', 'GET', `${at}/export`],
      ['VAULT_EXPORTED', 'POST', `${at}/export`, { password: 'long enough' }],
      ['VAULT_SHARED', 'POST', `${at}/share`, { recipientMemberIds: [next.memberId] }],
      ['EMERGENCY_CONFIGURED', 'POST', `${at}/emergency-access`, { threshold: 1, trustees: [next.memberId] }],
      ['EMERGENCY_SHARE_READ', 'GET', `${at}/emergency-share`, undefined, next.token],
      ['VAULT_SHARE_REVOKED', 'POST', `${at}/revoke-share`, { memberId: recipient.memberId }],
      ['MASTER_PASSWORD_CHANGED', 'POST', `${at}/change-master-password`, { masterPassword, newMasterPassword }],
      ['ENTRY_DELETED', 'DELETE', entry],
      ['VAULT_DELETED', 'DELETE', at, { masterPassword: newMasterPassword }],
    ];
    const recovery = ['POST', `${at}/emergency-recover`, { shares }, trustee.token] as const;
    const away = () => sql`alter table passvault_audit rename to audit_away`.execute(ctx.store.db);
    const back = () => sql`alter table audit_away rename to passvault_audit`.execute(ctx.store.db);
    const expectNothing = async (action: string, ...call: Parameters<typeof scene.call>) => {
      const before = await stateOf(ctx);
      await away();
      const answer = said(await scene.call(...call));
      await back();
      expect(`${action}: ${answer}`).toBe(`${action}: 500 INTERNAL_ERROR`);
      expect(await stateOf(ctx), action).toEqual(before);
    };
    const actions = async () =>
      (await ctx.db.selectFrom('passvault_audit').select('action').orderBy('ledger_entry').execute()).map(
        (r) => r.action,
      );
    // Before others become trustees in its place.
    await expectNothing('EMERGENCY_RECOVERED', ...recovery);
    for (const [place, [action, ...call]] of operations.entries()) {
      if (place % inStage(4, 4, 1) === 0) await expectNothing(action, ...call);
      const before = await actions();
      expect(`${action}: ${said(await scene.call(...call))}`).toBe(`${action}: 200 success`);
      expect(await actions()).toEqual([...before, ...(further[action] ?? []), action]);
    }
  });
});
