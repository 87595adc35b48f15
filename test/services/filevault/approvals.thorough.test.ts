import { describe, expect, it } from 'vitest';
import { scheduledHandler } from '../../../src/services/filevault/destruction/jobs.ts';
import { approvalExpiryHandler } from '../../../src/services/filevault/approvals/decisions.ts';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import { toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import { sign } from '../../../src/crypto/signature.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

const DAY = 24 * 3_600_000;
/** Sessions that outlive what is tested. */
const long = { config: { sessions: { lifetimeMs: 100 * DAY, refreshGraceMs: 60_000, challengeMs: 300_000 } } };
const running = { finish: async () => {} } as unknown as RunningJob;

async function policy({ get, containerId }: Scene, approvals: object) {
  return await get('PATCH', `/vaults/${containerId}`, { approvals });
}

/** A member who holds flags on the root folder. */
async function holder(scene: Scene, flags: readonly string[]) {
  const member = await scene.house.register();
  await scene.grant('folder', scene.rootId, { principalId: member.memberId, flags });
  return member;
}

async function signedBy({ mnemonic }: HouseMember, text: string): Promise<string> {
  return toHex(sign(deriveIdentity(await mnemonicToSeed(mnemonic)).privateKey, utf8(text)));
}

const admin = ['read', 'delete', 'admin', 'share'];

async function asked(scene: Scene, body: object, token?: string): Promise<string> {
  return (await scene.get('POST', '/approval/request', body, { token: token ?? scene.owner.token })).id as string;
}

describe.each(engines)('approvals on %s', (engine) => {
  it('keep everybody from an operation, the owner included, until others agree; and each is good for one time', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await holder(scene, admin), await holder(scene, admin)];
    const id = await scene.file('secret');
    expect(await policy(scene, { destruction: 2 })).toMatchObject({ approvals: { destruction: 2 } });
    const refused = await scene.call('POST', `/destroy/${id}`, {});
    expect([said(refused), refused.body.errors]).toEqual([
      '403 APPROVAL_REQUIRED',
      expect.arrayContaining([
        { path: 'operationType', message: 'destruction' },
        { path: 'targetId', message: id },
        { path: 'requiredApprovals', message: '2' },
      ]),
    ]);
    const wanted = { operationType: 'destruction', targetType: 'file', targetId: id };
    expect(said(await scene.call('POST', '/approval/request', { ...wanted, requiredApprovals: 1 }))).toBe(
      '400 VALIDATION_ERROR',
    );
    const approval = await scene.get('POST', '/approval/request', { ...wanted, reason: 'old' });
    expect(approval).toMatchObject({ status: 'pending', requiredApprovals: 2, reason: 'old', approvals: [] });
    const path = `/approval/${approval.id}`;
    expect(said(await scene.call('POST', `${path}/approve`, {}))).toBe('403 FORBIDDEN');
    await scene.get('POST', `${path}/approve`, {}, { token: one.token });
    await scene.get('POST', `${path}/approve`, {}, { token: one.token });
    expect(said(await scene.call('POST', `/destroy/${id}`, {}))).toBe('403 APPROVAL_REQUIRED');
    scene.house.clock.advance(1);
    expect(await scene.get('POST', `${path}/approve`, {}, { token: two.token })).toMatchObject({
      status: 'approved',
      approvals: [
        { memberId: one.memberId, counts: true },
        { memberId: two.memberId, counts: true },
      ],
    });
    // Whoever may destroy it too has to ask for it as well.
    expect(said(await scene.call('POST', `/destroy/${id}`, {}, { token: one.token }))).toBe('403 APPROVAL_REQUIRED');
    expect((await scene.get('POST', `/destroy/${id}`, {})).destroyed).toBe(true);
    expect(await scene.get('GET', path)).toMatchObject({ status: 'used' });
    const other = await scene.file('another');
    expect(said(await scene.call('POST', `/destroy/${other}`, {}))).toBe('403 APPROVAL_REQUIRED');
    expect((await scene.get('POST', '/destroy/batch', { fileIds: [other] })).results).toEqual([
      { fileId: other, destroyed: false, error: 'APPROVAL_REQUIRED' },
    ]);
    expect(said(await scene.call('POST', `/vaults/${scene.containerId}/destroy`, {}))).toBe('403 APPROVAL_REQUIRED');
  });

  it('are asked for a hundred times, and no more until one is decided or taken back', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const wanted = { operationType: 'destruction', targetType: 'file', targetId: await scene.file('secret') };
    const first = await asked(scene, wanted);
    for (let count = 1; count < 100; count += 1) await asked(scene, wanted);
    expect(said(await scene.call('POST', '/approval/request', wanted))).toBe('409 APPROVALS_FULL');
    await scene.get('POST', `/approval/${first}/cancel`);
    await asked(scene, wanted);
    expect(said(await scene.call('POST', '/approval/request', wanted))).toBe('409 APPROVALS_FULL');
  });

  it('are used once by 20 at the same time', async () => {
    await using scene = await openScene(engine);
    const one = await holder(scene, admin);
    const folder = await scene.folder('shared');
    await policy(scene, { aclChange: 1 });
    const id = await asked(scene, { operationType: 'acl_change', targetType: 'folder', targetId: folder });
    await scene.get('POST', `/approval/${id}/approve`, {}, { token: one.token });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => said(await scene.call('PUT', `/acl/folder/${folder}`, { entries: [] }))),
    );
    expect(answers.toSorted()).toEqual(['200 success', ...Array<string>(19).fill('403 APPROVAL_REQUIRED')]);
    const used = await scene.house.ctx.db
      .selectFrom('file_audit')
      .select('id')
      .where('action', '=', 'APPROVAL_USED')
      .execute();
    expect(used).toHaveLength(1);
  });

  it('count only while whoever gave them holds admin', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await holder(scene, admin), await holder(scene, admin)];
    const folder = await scene.folder('full');
    await scene.file('x', { folder });
    await scene.file('y', { folder: await scene.folder('inner', folder) });
    await policy(scene, { bulkDelete: 1 });
    expect(said(await scene.call('DELETE', `/folders/${await scene.folder('empty')}`))).toBe('204 success');
    expect(said(await scene.call('DELETE', `/folders/${folder}`))).toBe('403 APPROVAL_REQUIRED');
    const id = await asked(scene, { operationType: 'bulk_delete', targetType: 'folder', targetId: folder });
    await scene.get('POST', `/approval/${id}/approve`, {}, { token: one.token });
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, {
      entries: [
        { principalId: one.memberId, flags: ['read', 'delete'] },
        { principalId: two.memberId, flags: admin },
      ],
    });
    expect(await scene.get('GET', `/approval/${id}`)).toMatchObject({
      status: 'pending',
      approvals: [{ memberId: one.memberId, counts: false }],
    });
    expect(said(await scene.call('DELETE', `/folders/${folder}`))).toBe('403 APPROVAL_REQUIRED');
    expect(said(await scene.call('GET', `/approval/${id}`, undefined, { token: one.token }))).toBe(
      '404 APPROVAL_NOT_FOUND',
    );
    await scene.house.ctx.db
      .updateTable('members')
      .set({ status: 'suspended' })
      .where('id', '=', one.memberId)
      .execute();
    await scene.get('POST', `/approval/${id}/approve`, {}, { token: two.token });
    expect(said(await scene.call('DELETE', `/folders/${folder}`))).toBe('204 success');
  });

  it('end after seven days by the clock, by a rejection, and when they are taken back', async () => {
    await using scene = await openScene(engine, long);
    const one = await holder(scene, admin);
    const id = await scene.file('x');
    await policy(scene, { destruction: 1 });
    const wanted = { operationType: 'destruction', targetType: 'file', targetId: id };
    const late = await asked(scene, wanted);
    await scene.get('POST', `/approval/${late}/approve`, {}, { token: one.token });
    scene.house.clock.advance(7 * DAY - 1);
    expect(await scene.get('GET', `/approval/${late}`)).toMatchObject({ status: 'approved' });
    scene.house.clock.advance(1);
    expect(await scene.get('GET', `/approval/${late}`)).toMatchObject({ status: 'expired' });
    expect(said(await scene.call('POST', `/destroy/${id}`, {}))).toBe('403 APPROVAL_REQUIRED');
    expect(said(await scene.call('POST', `/approval/${late}/approve`, {}, { token: one.token }))).toBe(
      '409 APPROVAL_OVER',
    );
    await (
      await approvalExpiryHandler(scene.house.ctx)
    )({ id: late }, running);
    expect((await scene.get('GET', '/approval?status=expired')).approvals).toHaveLength(1);

    const rejected = await asked(scene, wanted);
    expect(said(await scene.call('POST', `/approval/${rejected}/reject`, { reason: '' }, { token: one.token }))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(
      await scene.get('POST', `/approval/${rejected}/reject`, { reason: 'We need it' }, { token: one.token }),
    ).toMatchObject({ status: 'rejected', rejectedBy: one.memberId, rejection: 'We need it' });
    expect(said(await scene.call('POST', `/approval/${rejected}/cancel`, {}))).toBe('409 APPROVAL_OVER');
    const cancelled = await asked(scene, wanted);
    expect(said(await scene.call('POST', `/approval/${cancelled}/cancel`, {}, { token: one.token }))).toBe(
      '403 FORBIDDEN',
    );
    expect(await scene.get('POST', `/approval/${cancelled}/cancel`, {})).toMatchObject({ status: 'cancelled' });
    expect(said(await scene.call('POST', `/destroy/${id}`, {}))).toBe('403 APPROVAL_REQUIRED');
  });

  it('are for those who could do it otherwise, and are decided by those who administer the target', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('papers');
    const file = await scene.file('x', { folder });
    const roles = {
      owner: scene.owner,
      admin: await holder(scene, admin),
      editor: await holder(scene, ['read', 'write']),
      sharer: await holder(scene, ['read', 'share']),
      stranger: await scene.house.register(),
    };
    const operations = {
      destruction: { operationType: 'destruction', targetType: 'file', targetId: file },
      destroyAll: { operationType: 'destruction', targetType: 'container', targetId: scene.containerId },
      share: { operationType: 'external_share', targetType: 'file', targetId: file },
      bulk: { operationType: 'bulk_delete', targetType: 'folder', targetId: folder },
      acl: { operationType: 'acl_change', targetType: 'folder', targetId: folder },
      policy: { operationType: 'acl_change', targetType: 'container', targetId: scene.containerId },
    };
    const table: Record<string, string[]> = {};
    for (const [role, { token }] of Object.entries(roles)) {
      table[role] = [];
      for (const body of Object.values(operations))
        table[role].push(said(await scene.call('POST', '/approval/request', body, { token })).slice(0, 3));
    }
    expect(table).toEqual({
      owner: ['201', '201', '201', '201', '201', '201'],
      admin: ['201', '403', '201', '201', '201', '403'],
      editor: ['403', '403', '403', '403', '403', '403'],
      sharer: ['403', '403', '201', '403', '403', '403'],
      stranger: ['404', '404', '404', '404', '404', '404'],
    });
    const id = await asked(scene, operations.share, roles.sharer.token);
    const decide: Record<string, string> = {};
    for (const role of ['sharer', 'editor', 'stranger', 'admin', 'owner'] as const)
      decide[role] = said(await scene.call('POST', `/approval/${id}/approve`, {}, { token: roles[role].token }));
    expect(decide).toEqual({
      sharer: '403 FORBIDDEN',
      editor: '404 APPROVAL_NOT_FOUND',
      stranger: '404 APPROVAL_NOT_FOUND',
      admin: '200 success',
      owner: '200 success',
    });
    for (const [targetType, targetId, operationType] of [
      ['folder', folder, 'destruction'],
      ['file', file, 'bulk_delete'],
      ['container', scene.containerId, 'external_share'],
    ])
      expect(said(await scene.call('POST', '/approval/request', { targetType, targetId, operationType }))).toBe(
        '400 VALIDATION_ERROR',
      );
    const seen = async (token: string, query = '') =>
      (await scene.get('GET', `/approval?limit=100${query}`, undefined, { token })).approvals.length;
    expect(await seen(roles.owner.token)).toBe(12);
    expect(await seen(roles.admin.token)).toBe(12);
    expect(await seen(roles.sharer.token)).toBe(2);
    expect(await seen(roles.stranger.token)).toBe(0);
    expect(await seen(roles.admin.token, '&mine=true')).toBe(4);
    expect(await seen(roles.admin.token, '&waitingForMe=true')).toBe(7);
    expect(await seen(roles.owner.token, '&status=approved')).toBe(1);
  });

  it('guard the policy itself: to raise it is free, to lower it is not', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await holder(scene, admin), await holder(scene, admin)];
    await policy(scene, { destruction: 1 });
    await policy(scene, { destruction: 2, bulkDelete: 1 });
    const lower = { approvals: { bulkDelete: 0 } };
    expect(said(await scene.call('PATCH', `/vaults/${scene.containerId}`, lower))).toBe('403 APPROVAL_REQUIRED');
    const target = { operationType: 'acl_change', targetType: 'container', targetId: scene.containerId };
    const id = await asked(scene, target);
    await scene.get('POST', `/approval/${id}/approve`, {}, { token: one.token });
    expect(said(await scene.call('PATCH', `/vaults/${scene.containerId}`, lower))).toBe('403 APPROVAL_REQUIRED');
    await scene.get('POST', `/approval/${id}/approve`, {}, { token: two.token });
    expect(await scene.get('PATCH', `/vaults/${scene.containerId}`, lower)).toMatchObject({
      approvals: { destruction: 2 },
    });
    expect((await scene.get('GET', '/vaults'))[0].approvals).toEqual({ destruction: 2 });
  });

  it('are signed over a statement, and a wrong signature is refused', async () => {
    await using scene = await openScene(engine);
    const one = await holder(scene, admin);
    const id = await scene.file('x');
    const wanted = { operationType: 'destruction', targetType: 'file', targetId: id };
    const { id: approvalId, statement } = await scene.get('POST', '/approval/request', wanted);
    const path = `/approval/${approvalId}/approve`;
    const own = await signedBy(one, statement);
    const others = await signedBy(scene.owner, statement);
    const elsewhere = await signedBy(one, `${statement} `);
    for (const signature of [others, elsewhere])
      expect(said(await scene.call('POST', path, { signature }, { token: one.token }))).toBe('400 INVALID_SIGNATURE');
    expect(await scene.get('POST', path, { signature: own }, { token: one.token })).toMatchObject({
      approvals: [{ signature: own }],
    });
  });

  it('hold for a scheduled destruction at its time, and are needed beside the quorum', async () => {
    await using scene = await openScene(engine, long);
    const one = await holder(scene, admin);
    await policy(scene, { destruction: 1 });
    const scheduledFile = async () => {
      const fileId = await scene.file('x');
      const id = await asked(scene, { operationType: 'destruction', targetType: 'file', targetId: fileId });
      await scene.get('POST', `/approval/${id}/approve`, {}, { token: one.token });
      return { fileId, id };
    };
    const at = new Date(scene.house.clock.now() + 30 * DAY).toISOString();
    const unapproved = await scene.file('y');
    expect(said(await scene.call('POST', `/destroy/${unapproved}/schedule`, { scheduledAt: at }))).toBe(
      '403 APPROVAL_REQUIRED',
    );
    const { fileId, id } = await scheduledFile();
    await scene.get('POST', `/destroy/${fileId}/schedule`, { scheduledAt: at });
    expect(await scene.get('GET', `/approval/${id}`)).toMatchObject({ status: 'used' });
    const job = await scene.house.ctx.db
      .selectFrom('jobs')
      .select('payload')
      .where('id', '=', `file-destruction-due/${fileId}`)
      .executeTakeFirstOrThrow();
    scene.house.clock.advance(30 * DAY);
    const due = async () => await scheduledHandler(scene.house.ctx)(JSON.parse(job.payload), running);
    await scene.get('PUT', `/acl/folder/${scene.rootId}`, { entries: [] });
    await due();
    expect(scene.house.log.lines.at(-1)).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    await scene.grant('folder', scene.rootId, { principalId: one.memberId, flags: admin });
    await due();
    expect(said(await scene.call('GET', `/files/${fileId}`))).toBe('410 FILE_DESTROYED');

    await scene.house.ctx.db.updateTable('file_containers').set({ quorum_governed: 1 }).execute();
    const both = await scheduledFile();
    expect(said(await scene.call('POST', `/destroy/${both.fileId}`, {}))).toBe('403 QUORUM_APPROVAL_REQUIRED');
    expect(await scene.get('GET', `/approval/${both.id}`)).toMatchObject({ status: 'approved' });
  });
});
