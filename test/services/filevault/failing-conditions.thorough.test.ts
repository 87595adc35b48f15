import { describe, expect, it } from 'vitest';
import { LOGGED_ITEMS } from '../../../src/base/log-fields.ts';
import { migrations } from '../../../src/platform/store/migrations.ts';
import { poisonRow } from '../../support/poison-row.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openScene, type Scene } from './scene.ts';
import { securityAlerts, upgraded as upgradedTo } from './upgraded.ts';

const office = { conditions: { cidrs: ['192.0.2.0/24'] } };

const upgraded = async (scene: Scene) => await upgradedTo(scene, 'failing-conditions', 'filevault');

/** The lines of the log, in its order. */
const toldOf = ({ house }: Scene) =>
  house.log.lines
    .filter(({ message }) => String(message).startsWith('entries of access lists refuse'))
    .map(({ containerId, entries }) => ({ containerId, entries: entries as readonly string[] }));

const jobs = async ({ house }: Scene) =>
  await house.ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'file-failing-conditions').execute();

describe.each(engines)('entries that refuse more since the upgrade, on %s', (engine) => {
  it('are named once, to the owner and in the log, and no others', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    const [ann, bob, cyd, dan] = [
      await house.register(),
      await house.register(),
      await house.register(),
      await house.register(),
    ];
    const outer = await scene.folder('outer');
    const inner = await scene.folder('inner', outer);
    const file = await scene.file('content', { folder: inner });
    const put = async (kind: string, id: string, ...entries: readonly object[]) =>
      await scene.get('PUT', `/acl/${kind}/${id}`, { entries });
    const entry = ({ memberId }: { readonly memberId: string }, level: string, more = {}) => ({
      principalId: memberId,
      level,
      ...more,
    });
    await put('folder', outer, entry(ann, 'viewer'), entry(bob, 'viewer', office), entry(cyd, 'viewer'));
    // Ann’s and Bob’s were decided further up while theirs failed; Cyd has one that always holds, and nobody else names Dan.
    const ofCyd = [entry(cyd, 'editor', office), entry(cyd, 'viewer')];
    await put('folder', inner, entry(ann, 'editor', office), ...ofCyd, entry(dan, 'viewer', office));
    await put('file', file, entry(bob, 'editor', office), entry(bob, 'commenter', office));
    await upgraded(scene);
    const names = [`${ann.username} on folder ${inner}`, `${bob.username} on file ${file}`].toSorted();
    const [alert = '', ...more] = await securityAlerts(scene, scene.owner);
    expect(more).toEqual([]);
    expect(alert).toContain(`In the container ${scene.containerId}, these members have nothing now`);
    const listed = /until now: (.*)\. Add an entry/.exec(alert)?.[1]?.split('; ').toSorted();
    expect(listed).toEqual(names);
    const told = toldOf(scene).map(({ containerId, entries }) => ({ containerId, entries: entries.toSorted() }));
    expect(told).toEqual([{ containerId: scene.containerId, entries: names }]);
    expect(await jobs(scene)).toEqual([]);
  });

  it('are read and logged in pages, and the owner is told of the first and how many there are', async () => {
    await using scene = await openScene(engine);
    const outer = await scene.folder('outer');
    const inner = await scene.folder('inner', outer);
    // Two pages of what is read and one more, of which every fourth is named by no list further up.
    const all = Array.from({ length: 1_001 }, (_, number) => `member-${String(number).padStart(5, '0')}`);
    const affected = all.filter((_, number) => number % 4 !== 0);
    const rowsOf = (node_id: string, members: readonly string[], conditions: string | null) =>
      members.map((principal_id, place) => {
        const { containerId: container_id } = scene;
        return {
          node_id,
          place,
          container_id,
          principal_id,
          level: 'viewer' as const,
          flags: null,
          set_id: null,
          conditions,
        };
      });
    const rows = [...rowsOf(outer, affected, null), ...rowsOf(inner, all, JSON.stringify(office.conditions))];
    for (let at = 0; at < rows.length; at += 100)
      await scene.house.ctx.db
        .insertInto('file_acl_entries')
        .values(rows.slice(at, at + 100))
        .execute();
    await upgraded(scene);
    const told = toldOf(scene).flatMap(({ entries }) => entries);
    expect(told).toEqual(affected.map((member) => `${member} on folder ${inner}`));
    expect(Math.max(...toldOf(scene).map(({ entries }) => entries.length))).toBe(LOGGED_ITEMS);
    const [alert] = await securityAlerts(scene, scene.owner);
    expect(alert).toContain(
      `: ${told.slice(0, 20).join('; ')}; and ${affected.length - 20} more, which the log of the server has. Add an`,
    );
  });

  it('are no job where no entry has conditions, and nothing is told where none changes', async () => {
    await using scene = await openScene(engine);
    const { memberId } = await scene.house.register();
    const folder = await scene.folder('folder');
    await scene.grant('folder', folder, { principalId: memberId, level: 'viewer' });
    const { db } = scene.house.ctx;
    await migrations.find(({ name }) => name === 'failing-conditions')?.up(db, {} as never);
    expect(await jobs(scene)).toEqual([]);
    const other = await scene.folder('other');
    await scene.grant('folder', other, { principalId: memberId, level: 'viewer', ...office });
    await upgraded(scene);
    expect(await securityAlerts(scene, scene.owner)).toEqual([]);
    expect(await jobs(scene)).toEqual([]);
  });

  it('are named to all other owners if it fails for one', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    const { memberId } = await house.register();
    const owners = [await house.register(), await house.register(), await house.register()];
    for (const { token } of owners) {
      const as = { token };
      const { id: vaultContainerId, rootFolderId: root } = await scene.get('POST', '/vaults', { name: 'Own' }, as);
      const folder = { name: 'inner', parentFolderId: root, vaultContainerId };
      const { id: inner } = await scene.get('POST', '/folders', folder, as);
      for (const [place, more] of [
        [root, {}],
        [inner, office],
      ] as const) {
        const entries = [{ principalId: memberId, level: 'viewer', ...more }];
        await scene.get('PUT', `/acl/folder/${place}`, { entries }, as);
      }
    }
    const [bad, ...others] = owners as [HouseMember, ...HouseMember[]];
    await poisonRow(house.ctx.store, 'notifications', 'insert', `new.recipient_id = '${bad.memberId}'`);
    await upgraded(scene);
    for (let tries = 0; tries < 6 && (await jobs(scene)).length > 0; tries += 1) {
      house.clock.advance(3_600_000);
      await runDueJobs(scene, 'filevault');
    }
    const counts = await Promise.all(others.map(async (owner) => (await securityAlerts(scene, owner)).length));
    expect(counts).toEqual(others.map(() => 1));
    expect(await jobs(scene)).toEqual([]);
    expect(house.log.lines.findLast(({ level }) => level === 'error')?.['message']).toMatch(/the others go on/);
  });
});
