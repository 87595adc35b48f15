import { describe, expect, it } from 'vitest';
import { services } from '../../../src/node/services.ts';
import { runJobs } from '../../../src/platform/store/jobs/jobs.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';
import { until } from '../../support/real-time.ts';

const HOUR = 3_600_000;
const long = {
  config: { sessions: { lifetimeMs: 1_000 * HOUR, refreshGraceMs: 60_000, challengeMs: 300_000 } },
};

/** Runs what is due, as `workers` processes at the same time, until nothing is. */
async function runDue({ house }: Scene, workers = 1): Promise<void> {
  const { ctx } = house;
  const kinds = ['file-canary', 'file-canary-steps', 'duress'];
  const due = async () =>
    await ctx.db
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'in', kinds)
      .where('run_at', '<=', ctx.clock.now())
      .execute();
  const all = services.find(({ name }) => name === 'filevault')?.jobs ?? {};
  const ending = new AbortController();
  const working = Array.from({ length: workers }, async () => {
    const handlers = Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await all[kind]!(ctx)])));
    await runJobs(ctx.store, handlers, { clock: ctx.clock, random: ctx.random, signal: ending.signal, log: ctx.log });
  });
  await until(async () => (await due()).length === 0);
  ending.abort();
  await Promise.all(working);
}

async function told(scene: Scene, { token }: HouseMember): Promise<string[]> {
  const { notifications } = await scene.get('GET', '/notifications?limit=100', undefined, { token });
  return notifications.map(({ content }: { content: string }) => content).toReversed();
}

async function login({ house }: Scene, { username, password }: HouseMember, code?: string) {
  const body = { username, password, ...(code !== undefined && { code }) };
  return await house.api('POST', '/api/user/login', { body });
}

const bindings = '/canary/bindings';

describe.each(engines)('canaries on %s', (engine) => {
  it('of absence warn, go off at their hour, and neither while their owner shows up', async () => {
    await using scene = await openScene(engine, long);
    const friend = await scene.house.register();
    const file = await scene.file('for my friend');
    const secret = await scene.file('for nobody');
    const { id, firesAt, warnsAt } = await scene.get('POST', bindings, {
      name: 'Gone',
      condition: 'ABSENCE',
      hours: 48,
      warnHours: 12,
      actions: [
        { type: 'notify', members: [friend.username], message: 'Look after things.' },
        { type: 'share', targetType: 'file', targetId: file, recipients: [friend.memberId] },
        { type: 'destroy', fileIds: [secret] },
      ],
    });
    const start = scene.house.clock.now();
    expect([Date.parse(warnsAt) - start, Date.parse(firesAt) - start]).toEqual([36 * HOUR, 48 * HOUR]);
    scene.house.clock.advance(36 * HOUR - 1);
    await runDue(scene);
    expect(await told(scene, scene.owner)).toEqual([]);
    scene.house.clock.advance(1);
    await runDue(scene);
    expect(await told(scene, scene.owner)).toEqual([
      `Your canary “Gone” goes off at ${firesAt} unless you check in or sign in.`,
    ]);
    // A sign-in is a sign of life, and a check-in is too: each begins the hours anew.
    scene.house.clock.advance(11 * HOUR);
    expect((await login(scene, scene.owner)).status).toBe(200);
    scene.house.clock.advance(HOUR);
    await runDue(scene);
    expect(await scene.get('GET', `${bindings}/${id}`)).toMatchObject({ state: 'armed' });
    await scene.get('POST', `${bindings}/${id}/check-in`, {});
    scene.house.clock.advance(48 * HOUR - 1);
    await runDue(scene);
    expect(await told(scene, friend)).toEqual([]);
    // The warning came late, so its whole time is left.
    expect(await scene.get('GET', `${bindings}/${id}`)).toMatchObject({ state: 'armed' });
    scene.house.clock.advance(12 * HOUR);
    await runDue(scene);
    expect(await told(scene, friend)).toEqual([`A canary of ${scene.owner.username} went off: Look after things.`]);
    expect((await scene.read(file, { token: friend.token })).bytes.toString()).toBe('for my friend');
    expect(said(await scene.call('GET', `/files/${secret}`))).toBe('410 FILE_DESTROYED');
    const { state, outcomes } = await scene.get('GET', `${bindings}/${id}`);
    expect([state, outcomes.map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
      'fired',
      ['done', 'done', 'done'],
    ]);
  });

  it('of presence go off when somebody else opens a decoy, and not for their owner', async () => {
    await using scene = await openScene(engine);
    const intruder = await scene.house.register();
    const guard = await scene.house.register();
    const decoy = await scene.file('nothing', { name: 'passwords.txt' });
    await scene.grant('file', decoy, { principalId: intruder.memberId, level: 'viewer' });
    const body = {
      name: 'Decoy',
      condition: 'PRESENCE',
      fileIds: [decoy],
      actions: [{ type: 'notify', members: [guard.username], message: 'Somebody is there.' }],
    };
    const { id } = await scene.get('POST', bindings, body);
    await scene.read(decoy);
    await runDue(scene);
    expect(await told(scene, guard)).toEqual([]);
    await scene.read(decoy, { token: intruder.token });
    await scene.read(decoy, { token: intruder.token });
    await runDue(scene);
    await scene.read(decoy, { token: intruder.token });
    await runDue(scene);
    expect(await told(scene, guard)).toEqual([`A canary of ${scene.owner.username} went off: Somebody is there.`]);
    expect(await told(scene, scene.owner)).toEqual(['Your canary “Decoy” went off.']);
    await scene.get('PATCH', `${bindings}/${id}`, { armed: true });
    await scene.read(decoy, { token: intruder.token });
    await runDue(scene);
    expect(await scene.get('GET', '/audit?action=CANARY_FIRED')).toMatchObject({ entries: [{}, {}] });
    const elsewhere = { ...body, fileIds: ['0'.repeat(32)] };
    expect(said(await scene.call('POST', bindings, elsewhere))).toBe('404 FILE_NOT_FOUND');
  });

  it('of duress go off by a code that every answer hides', async () => {
    await using scene = await openScene(engine);
    const friend = await scene.house.register();
    const notice = { type: 'notify', members: [friend.username], message: 'Help.' };
    const absent = { name: 'Gone', condition: 'ABSENCE', hours: 24, actions: [notice] };
    const { id: other } = await scene.get('POST', bindings, absent);
    const body = { name: 'Force', condition: 'DURESS', code: 'blue horses', actions: [notice] };
    const made = await scene.get('POST', bindings, body);
    expect(JSON.stringify(made)).not.toContain('blue');
    expect(said(await scene.call('POST', bindings, body))).toBe('409 CANARIES_FULL');
    const checkIn = async (code?: string) =>
      (await scene.call('POST', `${bindings}/${other}/check-in`, code === undefined ? {} : { code })).body;
    const normal = await checkIn();
    expect(await checkIn('brown horses')).toEqual(normal);
    await runDue(scene);
    expect(await told(scene, friend)).toEqual([]);
    expect(await checkIn('blue horses')).toEqual(normal);
    await runDue(scene);
    expect(await told(scene, friend)).toHaveLength(1);
    // Nothing that the owner reads tells of it.
    expect(await scene.get('GET', `${bindings}/${made.id}`)).toEqual(made);
    expect(await told(scene, scene.owner)).toEqual([]);
    expect((await scene.get('GET', '/audit?action=CANARY_FIRED')).entries).toEqual([]);

    await scene.get('PATCH', `${bindings}/${made.id}`, { armed: true, code: 'white horses' });
    const shapes = [];
    for (const code of [undefined, 'anything', 'blue horses', 'white horses']) {
      const { status, body: answer } = await login(scene, scene.owner, code);
      shapes.push([status, Object.keys(answer.data)]);
      await runDue(scene);
      expect((await told(scene, friend)).length).toBe(1);
    }
    expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1);
    const { notifications } = await scene.get('GET', '/notifications', undefined, { token: friend.token });
    expect(notifications[0].count).toBe(2);
    expect((await login(scene, { ...scene.owner, password: 'wrong' }, 'white horses')).status).toBe(401);
    const rows = await scene.house.ctx.db.selectFrom('duress_codes').selectAll().execute();
    expect([rows.length, rows[0]?.verifier.length]).toEqual([1, 32]);
    await scene.get('DELETE', `${bindings}/${made.id}`);
    expect(await scene.house.ctx.db.selectFrom('duress_codes').selectAll().execute()).toEqual([]);
  });

  it('do what their owner may do when they go off, and say what was refused', async () => {
    await using scene = await openScene(engine, long);
    const member = await scene.house.register();
    const friend = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: member.memberId, level: 'owner' });
    const [kept, governed, approved] = [await scene.file('a'), await scene.file('b'), await scene.file('c')];
    const share = { type: 'share', targetType: 'file', targetId: kept, recipients: [friend.memberId] };
    const body = {
      name: 'Gone',
      condition: 'ABSENCE',
      hours: 1,
      actions: [share, { type: 'destroy', fileIds: [kept, governed] }, { type: 'destroy', fileIds: [approved] }],
    };
    const stranger = await scene.house.register();
    expect(said(await scene.call('POST', bindings, body, { token: stranger.token }))).toBe('404 FILE_NOT_FOUND');
    const { id } = await scene.get('POST', bindings, body, { token: member.token });
    expect(said(await scene.call('GET', `${bindings}/${id}`))).toBe('404 CANARY_NOT_FOUND');
    await scene.house.ctx.db.updateTable('file_nodes').set({ quorum_governed: 1 }).where('id', '=', governed).execute();
    const steps = async () =>
      (await scene.get('POST', `${bindings}/${id}/dry-run`, {}, { token: member.token })).steps.map(
        (step: { allowed: boolean; refusal?: string }) => step.refusal ?? step.allowed,
      );
    expect(await steps()).toEqual([true, true, 'QUORUM_APPROVAL_REQUIRED', true]);
    expect((await scene.read(kept)).bytes.toString()).toBe('a');
    expect(said(await scene.call('GET', `/files/${kept}`, undefined, { token: friend.token }))).toBe(
      '404 FILE_NOT_FOUND',
    );
    expect(await scene.house.ctx.db.selectFrom('file_destructions').selectAll().execute()).toEqual([]);
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { approvals: { destruction: 1 } });
    await scene.grant('file', kept, { principalId: member.memberId, flags: ['read'] });
    expect(await steps()).toEqual(['FORBIDDEN', 'FORBIDDEN', 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED']);
    const asked = { operationType: 'destruction', targetType: 'file', targetId: approved };
    const approval = await scene.get('POST', '/approval/request', asked, { token: member.token });
    await scene.get('POST', `/approval/${approval.id}/approve`, {});
    for (const wait of [HOUR, HOUR]) {
      scene.house.clock.advance(wait);
      await runDue(scene);
    }
    const { outcomes } = await scene.get('GET', `${bindings}/${id}`, undefined, { token: member.token });
    expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
      'APPROVAL_REQUIRED',
      'done',
    ]);
    expect(said(await scene.call('GET', `/files/${approved}`))).toBe('410 FILE_DESTROYED');
    expect((await scene.read(kept)).bytes.toString()).toBe('a');
  });

  it('do everything once, by several processes, and after one that died in the middle', async () => {
    await using scene = await openScene(engine, long);
    const friends = [];
    for (let index = 0; index < 5; index += 1) friends.push(await scene.house.register());
    const files = await Promise.all(['a', 'b', 'c'].map(async (text) => await scene.file(text)));
    const members = friends.map(({ memberId }) => memberId);
    const { id } = await scene.get('POST', bindings, {
      name: 'Gone',
      condition: 'ABSENCE',
      hours: 1,
      actions: [
        { type: 'notify', members, message: 'Once.' },
        { type: 'destroy', fileIds: files },
      ],
    });
    scene.house.clock.advance(HOUR);
    await runDue(scene, 3);
    scene.house.clock.advance(HOUR);
    // The commit of the first thing that it does fails, as where a process dies: it was not done, and is done later.
    const spoiled = scene.house.spoil();
    await runDue(scene, 3);
    scene.house.clock.advance(HOUR);
    await runDue(scene, 3);
    expect(spoiled()).toBe(true);
    const { outcomes } = await scene.get('GET', `${bindings}/${id}`);
    expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array<string>(8).fill('done'));
    const rows = await scene.house.ctx.db
      .selectFrom('notifications')
      .select(['recipient_id', 'count'])
      .where('target_id', '=', id)
      .where('recipient_id', 'in', members)
      .execute();
    expect(rows.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1]);
    const destroyed = await scene.get('GET', '/audit?action=FILE_DESTROYED');
    expect(destroyed.entries).toHaveLength(3);
  });

  it('are refused with what is not for their condition, and stop when they are off or removed', async () => {
    await using scene = await openScene(engine, long);
    const notice = { type: 'notify', members: [scene.owner.username], message: 'x' };
    const absent = { name: 'Gone', condition: 'ABSENCE', hours: 2, actions: [notice] };
    for (const wrong of [
      { ...absent, hours: undefined },
      { ...absent, hours: 0 },
      { ...absent, warnHours: 3 },
      { ...absent, code: 'blue horses' },
      { ...absent, fileIds: ['0'.repeat(32)] },
      { ...absent, actions: [] },
      { ...absent, actions: [{ type: 'explode' }] },
      { name: 'x', condition: 'DURESS', code: 'short', actions: [notice] },
      { name: 'x', condition: 'PRESENCE', actions: [notice] },
    ])
      expect(said(await scene.call('POST', bindings, wrong)), JSON.stringify(wrong)).toBe('400 VALIDATION_ERROR');
    const nobody = { ...absent, actions: [{ ...notice, members: ['nobody'] }] };
    expect(said(await scene.call('POST', bindings, nobody))).toBe('404 MEMBER_NOT_FOUND');
    const { id } = await scene.get('POST', bindings, absent);
    expect(await scene.get('PATCH', `${bindings}/${id}`, { hours: 10, armed: false })).toMatchObject({
      state: 'off',
      hours: 10,
      warnHours: 1,
    });
    scene.house.clock.advance(100 * HOUR);
    await runDue(scene);
    expect(await scene.get('GET', `${bindings}/${id}`)).toMatchObject({ state: 'off' });
    await scene.get('PATCH', `${bindings}/${id}`, { armed: true });
    await scene.get('DELETE', `${bindings}/${id}`);
    expect(
      await scene.house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'file-canary').execute(),
    ).toEqual([]);
    expect(said(await scene.call('DELETE', `${bindings}/${id}`))).toBe('404 CANARY_NOT_FOUND');
  });
});
