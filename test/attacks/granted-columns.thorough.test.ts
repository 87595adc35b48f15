import { describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { pool } from '../../src/contract/pool.ts';
import { openHouse, type House } from '../support/house.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { engines } from '../support/stores.ts';
import { openScene, said, type Scene } from '../services/filevault/scene.ts';
import { proposed, voting } from '../services/quorum/governing.ts';
import { openQuorum } from '../services/quorum/scene.ts';
import { approvalNeeded, codeOf, granting, inPart, keyNeeded, operations, pathOf } from './granting.ts';

type Answers = Record<string, string>;

async function withoutKey({ ctx }: House, { memberId }: HouseMember): Promise<void> {
  await ctx.db.updateTable('sessions').set({ sealed_key: null }).where('member_id', '=', memberId).execute();
}

/** What each operation gives that a container may want approvals for, done by its owner. */
async function givingAll(scene: Scene): Promise<() => Promise<Answers>> {
  const { house, containerId, folder, file, get, call } = scene;
  const outsider = await house.register();
  const [shown, inner] = [await folder('shown'), await folder('inner')];
  await scene.grant('folder', shown, { principalId: outsider.memberId, level: 'viewer' });
  await scene.grant('folder', inner, { principalId: outsider.memberId, flags: [] });
  await get('POST', `/folders/${inner}/move`, { itemType: 'folder', newParentId: shown });
  const [id, lost, lostFolder] = [
    await file('secret'),
    await file('lost', { folder: inner }),
    await folder('below', inner),
  ];
  for (const path of [`/files/${lost}`, `/folders/${lostFolder}`, `/folders/${inner}`]) await get('DELETE', path);
  const share = { type: 'share', recipients: [outsider.memberId], targetType: 'file', targetId: id, level: 'viewer' };
  const canary = { name: 'gone', condition: 'ABSENCE', hours: 72, actions: [share] };
  const firing = async (answer: Awaited<ReturnType<typeof call>>, canaryId: string): Promise<string> => {
    const { steps } = await get('POST', `/canary/bindings/${canaryId}/dry-run`, {});
    return `${answer.status} ${steps[0].allowed ? 'allowed' : 'refused'} when it fires`;
  };
  return async () => {
    const made = await call('POST', '/canary/bindings', canary);
    const bound = `/canary/bindings/${made.body.id}`;
    return {
      'filevault.create-canary': await firing(made, made.body.id),
      'filevault.change-canary': await firing(await call('PATCH', bound, { actions: [share] }), made.body.id),
      'filevault.share': said(
        await call('POST', '/share/internal', {
          fileId: id,
          recipientId: outsider.memberId,
          permissionLevel: 'viewer',
        }),
      ),
      'filevault.create-link': said(await call('POST', '/share/link', { fileId: id, mode: 'server_proxied' })),
      'filevault.put-acl': said(
        await call('PUT', `/acl/file/${id}`, { entries: [{ principalId: outsider.memberId, level: 'viewer' }] }),
      ),
      'filevault.move': said(
        await call('POST', `/folders/${await file('x')}/move`, { itemType: 'file', newParentId: shown }),
      ),
      'filevault.restore-file': said(await call('POST', `/files/${lost}/restore`, {})),
      'filevault.restore-folder': said(await call('POST', `/folders/${lostFolder}/restore`, {})),
      'filevault.change-container': said(
        await call('PATCH', `/vaults/${containerId}`, { approvals: { externalShare: 0, aclChange: 0 } }),
      ),
    };
  };
}

describe.each(engines)('operations that give rights on %s', (engine) => {
  it('need the approvals that the table says, and never the private key', async () => {
    await using scene = await openScene(engine);
    const give = await givingAll(scene);
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { approvals: { externalShare: 1, aclChange: 1 } });
    await withoutKey(scene.house, scene.owner);
    const expected = Object.entries(approvalNeeded).flatMap(([answer, ids]) => ids.map((id) => [id, answer]));
    expect(await give()).toEqual(Object.fromEntries(expected));
    await scene.house.ctx.db.deleteFrom('file_approval_policies').execute();
    const free = Object.values(await give()).filter(
      (answer) => !/^20[01] (success|allowed when it fires)$/.test(answer),
    );
    expect(free).toEqual([]);
  });

  it('answer without the private key as with it, but where the table says that it is needed', async () => {
    await using house = await openHouse(engine);
    const [boss, keyless] = [await house.administrator(), await house.administrator()];
    await withoutKey(house, keyless);
    const answers = [];
    const listed = new Set([...Object.values(granting).flat(), ...inPart]);
    for (const op of operations.filter(({ id }) => listed.has(id) && !keyNeeded.includes(id))) {
      const told = [];
      for (const { token } of [boss, keyless]) {
        const { status, body } = await house.api(op.method, pathOf(op), { token, body: {} });
        told.push(`${status} ${codeOf(body)}`);
      }
      answers.push([op.id, ...told]);
    }
    expect(answers.filter(([, withKey, without]) => withKey !== without || without?.includes('KEY_LOCKED'))).toEqual(
      [],
    );
  });

  it('are refused in a session without the private key that they need', async () => {
    await using quorum = await openQuorum(engine, 2);
    await using plain = await openHouse(engine);
    const { house, administrator: boss, people } = quorum;
    // Where two have to sign, nobody makes a token.
    const alone = await plain.administrator();
    await withoutKey(plain, alone);
    const [other, [ann]] = [await house.administrator(), people];
    const proposal = await proposed(quorum, ann!, 'CUSTOM', {});
    const { public_key: publicKey } = await house.ctx.db
      .selectFrom('members')
      .select('public_key')
      .where('id', '=', other.memberId)
      .executeTakeFirstOrThrow();
    await house.perform(pool.updateAcl, { addKeys: [publicKey], threshold: 2 }, boss.token);
    const { body } = await house.perform(pool.updateAcl, { mode: 'closed' }, boss.token);
    const hash = (body as { errors: { path: string; message: string }[] }).errors.find(
      ({ path }) => path === 'proposal',
    );
    for (const each of [boss, other, ann!]) await withoutKey(house, each);
    const nodeId = 'f'.repeat(64);
    const expiresAt = new Date(house.clock.now() + 3_600_000).toISOString();
    const asked: Readonly<Record<string, Promise<{ status: number; body: { error?: unknown } }>>> = {
      'account.create-backup-codes': house.perform(accounts.createBackupCodes, {}, boss.token),
      'account.replace-backup-codes': house.perform(accounts.replaceBackupCodes, {}, boss.token),
      'pool.approve-node': house.perform(pool.approveNode, { nodeId }, boss.token),
      'pool.unban-node': house.perform(pool.unbanNode, { nodeId }, boss.token),
      'pool.update-acl': house.perform(pool.updateAcl, { mode: 'closed' }, boss.token),
      'pool.sign-acl': house.perform(pool.signAcl, { hash: hash?.message ?? '' }, other.token),
      'pool.create-token': plain.perform(pool.createToken, { expiresAt }, alone.token),
      'quorum.cast-vote': voting(quorum, ann!, proposal.id),
    };
    const answers = Object.entries(asked).map(async ([id, answer]) => {
      const { status, body: refusal } = await answer;
      return [id, `${status} ${codeOf(refusal)}`];
    });
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(
      Object.fromEntries(keyNeeded.map((id) => [id, '403 KEY_LOCKED'])),
    );
  });
});
