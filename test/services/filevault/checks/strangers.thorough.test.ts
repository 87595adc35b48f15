import { describe, expect, it } from 'vitest';
import { permissionFlags } from '../../../../src/contract/filevault/limits.ts';
import { engines } from '../../../support/stores.ts';
import { said } from '../scene.ts';
import { prepared, without, type Prepared } from './operations.ts';
import { openWorld, type World } from './world.ts';

/** The same request about things that don't exist. */
function aboutNothing(given: object): object {
  return JSON.parse(JSON.stringify(given).replaceAll(/[0-9a-f]{32}/g, '0'.repeat(32))) as object;
}

/** What was answered, without the ids that were asked about. */
function answered({ status, body }: { status: number; body: unknown }): string {
  return `${status} ${JSON.stringify(body).replaceAll(/[0-9a-f]{32}/g, '0'.repeat(32))}`;
}

const refusable = ({ access }: Prepared): boolean => access !== 'member' && access !== 'token' && access !== 'operator';

/** Everything that a caller who may see nothing is told is what is said of things that don't exist. */
async function expectNothingKnown(world: World, rows: readonly Prepared[], token: string): Promise<void> {
  const before = await world.rows();
  for (const row of rows.filter(refusable)) {
    const real = await world.send(row.name, row.given, token, row.body?.(world));
    const none = await world.send(row.name, aboutNothing(row.given), token, Buffer.from('unstored.'));
    expect(answered(real), row.name).toBe(answered(none));
    expect(real.status, row.name).toBe(row.name === 'destroyFiles' ? 200 : 404);
  }
  expect(await world.rows()).toEqual(before);
}

describe.each(engines)('check 1, the ids of others on every operation on %s', (engine) => {
  it('are unknown to strangers, to whoever lost every right a moment ago, and to everybody without a token', async () => {
    await using world = await openWorld(engine);
    const { scene } = world;
    const rows = await prepared(world);
    const stranger = await scene.house.register();
    await scene.get('POST', '/vaults', { name: 'Own' }, { token: stranger.token });
    await expectNothingKnown(world, rows, stranger.token);

    const former = await scene.house.register();
    const entry = { principalId: former.memberId, level: 'owner' };
    for (const root of [scene.rootId, world.sealed.rootId]) await scene.grant('folder', root, entry);
    for (const row of rows.filter(({ access }) => Array.isArray(access) && access.length === 0))
      expect(said(await world.send(row.name, row.given, former.token)), row.name).toBe('200 success');
    for (const root of [scene.rootId, world.sealed.rootId])
      await scene.get('PUT', `/acl/folder/${root}`, { entries: [] });
    await expectNothingKnown(world, rows, former.token);

    const before = await world.rows();
    for (const { token } of [stranger, former])
      for (const row of rows.filter(({ access }) => access === 'operator'))
        expect([401, 403, 404], row.name).toContain((await world.send(row.name, row.given, token)).status);
    for (const row of rows.filter(({ access }) => access !== 'token'))
      for (const given of [row.given, aboutNothing(row.given)])
        expect((await world.send(row.name, given, undefined, row.body?.(world))).status, row.name).toBe(401);
    expect(await world.rows()).toEqual(before);
  });

  it('are answered 401 to a member who was suspended a moment ago, with every right', { tags: 'soak' }, async () => {
    await using world = await openWorld(engine);
    const { house, rootId } = world.scene;
    const rows = await prepared(world);
    const suspended = await house.register();
    await world.scene.grant('folder', rootId, { principalId: suspended.memberId, level: 'owner' });
    const { token } = await house.administrator();
    await house.api('POST', `/api/admin/members/${suspended.memberId}/suspend`, { token, body: {} });
    const before = await world.rows();
    for (const row of rows.filter(({ access }) => access !== 'token'))
      expect((await world.send(row.name, row.given, suspended.token, row.body?.(world))).status, row.name).toBe(401);
    expect(await world.rows()).toEqual(before);
  });

  it('appear in no list of a stranger', { tags: 'soak' }, async () => {
    await using world = await openWorld(engine);
    const rows = await prepared(world);
    const { token } = await world.scene.house.register();
    const before = JSON.stringify(await world.rows());
    const ids = new Set(before.match(/[0-9a-f]{32}/g));
    for (const row of rows.filter(({ access }) => access === 'member')) {
      const { status, body } = await world.send(row.name, row.given, token);
      expect(status, row.name).toBeLessThan(300);
      expect((JSON.stringify(body) ?? '').match(/[0-9a-f]{32}/g)?.filter((id) => ids.has(id)) ?? [], row.name).toEqual(
        [],
      );
    }
    const { body } = await world.send('listFileNotifications', {}, world.friend.token);
    expect(body.notifications.map(({ isRead }: { isRead: boolean }) => isRead)).not.toContain(true);
  });
});

describe.each(engines)('checks 3 and 7, flags on %s', (engine) => {
  it('are needed exactly: with all but one an operation is refused, and with only those that it needs it succeeds', async () => {
    await using world = await openWorld(engine);
    const { scene, sealed } = world;
    const rows = await prepared(world);
    const member = await scene.house.register();
    const hold = async (flags: readonly string[]) => {
      for (const root of [scene.rootId, sealed.rootId])
        await scene.get('PUT', `/acl/folder/${root}`, { entries: [{ principalId: member.memberId, flags }] });
    };
    const ask = async (row: Prepared) => await world.send(row.name, row.given, member.token, row.body?.(world));
    const refusal = ({ hidden, name }: Prepared) =>
      name === 'destroyFiles' || name === 'emptyTrash' ? '200 success' : hidden ? '404' : '403 FORBIDDEN';
    const expectRefused = async (row: Prepared, what: string) => {
      const answer = await ask(row);
      expect(said(answer).slice(0, refusal(row).length), `${row.name} ${what}`).toBe(refusal(row));
      if (row.items !== true) return;
      const items = (answer.body.results ?? answer.body.failed) as { error: string }[];
      expect(items.length, row.name).toBeGreaterThan(0);
      // What is in the trash is unknown to whoever may not delete it.
      const wanted = row.name === 'emptyTrash' && what === 'without delete' ? 'FILE_NOT_FOUND' : 'FORBIDDEN';
      expect(items.map(({ error }) => error)).toEqual(items.map(() => wanted));
    };
    const before = async () => {
      const { file_acl_entries: _, file_audit: __, file_canaries: ___, ...rest } = await world.rows();
      return rest;
    };
    const rowsBefore = await before();
    for (const flag of permissionFlags) {
      await hold(without(flag));
      for (const row of rows)
        if (Array.isArray(row.access) && row.access.includes(flag)) await expectRefused(row, `without ${flag}`);
    }
    await hold(without('share').filter((flag) => flag !== 'admin'));
    for (const row of rows)
      if (typeof row.access === 'object' && 'anyOf' in row.access) await expectRefused(row, 'without share and admin');
    await hold(permissionFlags);
    for (const row of rows) {
      if (row.access === 'owner') await expectRefused(row, 'as no owner');
      if (row.access === 'maker') expect((await ask(row)).status, row.name).toBe(404);
    }
    expect(await before()).toEqual(rowsBefore);

    // Only who could approve when it was asked for decides on it, and that was before the member got anything.
    const approvers = JSON.stringify([member.memberId]);
    await scene.house.ctx.db.updateTable('file_approvals').set({ approvers }).execute();
    const last = new Set(['revokeShare', 'revokeLink', 'reject', 'destroyFiles']);
    const order = [...rows].toSorted((a, b) => Number(last.has(a.name)) - Number(last.has(b.name)));
    for (const row of order) {
      if (typeof row.access === 'string') continue;
      const needed = 'anyOf' in row.access ? row.access.anyOf.map((flag) => [flag]) : [row.access];
      for (const flags of needed) {
        await hold(flags.length === 0 ? ['comment'] : flags);
        const answer = await ask(row);
        const wanted = row.reached ?? `${answer.status < 300 ? answer.status : 200} success`;
        expect(said(answer), `${row.name} with ${flags.join()}: ${answer.body?.message}`).toBe(wanted);
        if (row.items === true)
          expect(JSON.stringify(answer.body), row.name).toMatch(
            row.name === 'emptyTrash' ? /"files":1/ : /"destroyed":true/,
          );
      }
    }
  });
});
