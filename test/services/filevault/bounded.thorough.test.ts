import { describe, expect, it } from 'vitest';
import { filevaultLimits } from '../../../src/contract/filevault/limits.ts';
import { purgeFiles } from '../../../src/services/filevault/keeping/purge.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';
import { until } from '../../support/real-time.ts';

/** A folder in the trash, with so many folders in it and in each other. */
async function trashed({ house: { ctx }, ...scene }: Scene, count: number): Promise<string> {
  const top = await scene.folder('many');
  const { db } = ctx;
  const row = await db.selectFrom('file_nodes').selectAll().where('id', '=', top).executeTakeFirstOrThrow();
  const idOf = (index: number) => (index === 0 ? top : index.toString(16).padStart(32, '0'));
  const rows = Array.from({ length: count }, (_, index) => {
    const [name, id] = [`inner ${index}`, idOf(index + 1)];
    return { ...row, id, parent_id: idOf(index % 3 === 0 ? 0 : index), name, name_key: name };
  });
  await insertRows(db, 'file_nodes', rows);
  expect((await scene.call('DELETE', `/folders/${top}`)).status).toBe(204);
  return top;
}

async function foldersOf({ house: { ctx } }: Scene): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('file_nodes')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

describe.each(engines)('what one request does at once on %s', (engine) => {
  it('is some folders of the trash, and others come in between', async () => {
    await using scene = await openScene(engine);
    await trashed(scene, 600);
    const order: string[] = [];
    const emptying = (async () => {
      const emptied = await scene.get('DELETE', '/trash', { vaultContainerId: scene.containerId });
      order.push('emptied');
      return emptied;
    })();
    await until(async () => (await foldersOf(scene)) !== 602);
    await scene.folder('meanwhile');
    order.push('made');
    expect(await emptying).toMatchObject({ folders: 601, more: false });
    expect(order).toEqual(['made', 'emptied']);
    // The root folder, and the new one.
    expect(await foldersOf(scene)).toBe(2);
  });

  it('is the same for what the clock lets go', async () => {
    await using scene = await openScene(engine);
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { trashDays: 1 });
    await trashed(scene, 120);
    await purgeFiles(scene.house.ctx);
    expect(await foldersOf(scene)).toBe(122);
    scene.house.clock.advance(86_400_000);
    await purgeFiles(scene.house.ctx);
    expect(await foldersOf(scene)).toBe(1);
  });

  it('weighs few entries for one member in one list', async () => {
    await using scene = await openScene(engine);
    const { memberId, username } = await scene.house.register();
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        principalId: index % 2 === 0 ? memberId : username,
        level: 'viewer',
        conditions: { cidrs: [`192.0.2.${index}`], hours: { from: '08:00', to: '09:00', timeZone: 'Europe/Prague' } },
      }));
    const put = async (count: number) =>
      await scene.call('PUT', `/acl/folder/${scene.rootId}`, { entries: list(count) });
    expect((await put(filevaultLimits.entriesOfMember)).status).toBe(200);
    const refused = await put(filevaultLimits.entriesOfMember + 1);
    expect([said(refused), refused.body.errors]).toEqual([
      '400 VALIDATION_ERROR',
      [{ path: 'entries.10.principalId', message: 'is in more than 10 entries of the list' }],
    ]);
  });

  it('drops all uploads into a container that is destroyed', async () => {
    await using scene = await openScene(engine);
    for (let count = 0; count < 45; count += 1) expect((await scene.begin(10)).status).toBe(201);
    await scene.get('POST', `/vaults/${scene.containerId}/destroy`, {});
    const { db } = scene.house.ctx;
    expect(await db.selectFrom('file_uploads').select('id').execute()).toEqual([]);
    expect(await db.selectFrom('file_containers').select(['used', 'reserved']).execute()).toEqual([
      { used: 0, reserved: 0 },
    ]);
  });
});
