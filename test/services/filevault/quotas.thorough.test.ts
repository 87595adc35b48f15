import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { purgeFiles } from '../../../src/services/filevault/keeping/purge.ts';
import { inStage, runs } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

const DAY = 86_400_000;
const QUOTA = 4_000;

/** What the container and the member count, and the sums of the rows. */
async function counted({ house: { ctx }, containerId }: Scene) {
  const { used, reserved } = await ctx.db
    .selectFrom('file_containers')
    .select(['used', 'reserved'])
    .where('id', '=', containerId)
    .executeTakeFirstOrThrow();
  const member = await ctx.db.selectFrom('member_storage').select('bytes').executeTakeFirst();
  const contents = await ctx.db.selectFrom('file_contents').select(['id', 'size']).execute();
  const versions = new Set(
    (await ctx.db.selectFrom('file_versions').select('content_id').execute()).map(({ content_id }) => content_id),
  );
  const sum = (versioned: boolean) =>
    contents.filter(({ id }) => versions.has(id) === versioned).reduce((all, { size }) => all + size, 0);
  return { counts: [used, reserved, member?.bytes ?? 0], rows: [sum(true), sum(false), sum(true) + sum(false)] };
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('store' as const), size: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('replace' as const), size: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('begin' as const), size: fc.integer({ min: 1, max: 900 }) }) },
  ...(
    ['abort', 'expire', 'restore version', 'trash', 'restore', 'prune', 'destroy', 'empty', 'drop version'] as const
  ).map((name) => ({ weight: 1, arbitrary: fc.record({ do: fc.constant(name), size: fc.nat(1_000) }) })),
);

describe.each(engines)('check 23, quotas on %s', (engine) => {
  it(
    'are the sum of the rows at every moment, whatever happens, and never exceeded',
    { tags: 'thorough' },
    async () => {
      await using scene = await openScene(engine);
      const { house } = scene;
      await scene.get('PATCH', `/vaults/${scene.containerId}`, { quotaBytes: QUOTA, versionPolicy: { number: 3 } });
      let token = scene.owner.token;
      const get: Scene['get'] = async (method, path, body) => await scene.get(method, path, body, { token });
      const quiet = async (work: Promise<unknown>): Promise<void> => {
        await work.catch((error: unknown) => {
          if (!/"error":"(CONTAINER_QUOTA_EXCEEDED|VERSION_CURRENT|NOT_IN_TRASH)"/.test(String(error))) throw error;
        });
      };
      const pick = async (size: number, deleted = false): Promise<string | undefined> => {
        const rows = await house.ctx.db
          .selectFrom('file_nodes')
          .select('id')
          .where('kind', '=', 1)
          .where('deleted_at', deleted ? 'is not' : 'is', null)
          .orderBy('id')
          .execute();
        return rows[size % Math.max(1, rows.length)]?.id;
      };
      const perform = async ({ do: what, size }: { readonly do: string; readonly size: number }): Promise<void> => {
        const id = await pick(size);
        const gone = await pick(size, true);
        const upload = (await get('GET', '/upload')).uploads[0]?.sessionId as string | undefined;
        if (what === 'store') await quiet(scene.file(Buffer.alloc(size), { token }));
        if (what === 'begin')
          await scene.begin(size, { token, ...(size % 2 === 0 && id !== undefined && { replaces: id }) });
        if (what === 'replace' && id !== undefined)
          await quiet(scene.file(Buffer.alloc(size), { token, replaces: id }));
        if (what === 'abort' && upload !== undefined) await get('DELETE', `/upload/${upload}`);
        if (what === 'expire') {
          house.clock.advance(1.5 * DAY);
          token = await house.signIn(scene.owner);
          await purgeFiles(house.ctx);
        }
        if ((what === 'restore version' || what === 'drop version') && id !== undefined) {
          const versions = await get('GET', `/files/${id}/versions`);
          const { versionId } = versions[size % versions.length];
          if (what === 'drop version') await quiet(get('DELETE', `/files/${id}/versions/${versionId}`));
          else await get('POST', `/files/${id}/versions/${versionId}/restore`, {});
        }
        if (what === 'trash' && id !== undefined) await get('DELETE', `/files/${id}`);
        if (what === 'restore' && gone !== undefined) await get('POST', `/files/${gone}/restore`, {});
        if (what === 'prune') await purgeFiles(house.ctx);
        if (what === 'destroy' && id !== undefined) await get('POST', `/destroy/${id}`, {});
        if (what === 'empty') await get('DELETE', '/trash', { vaultContainerId: scene.containerId });
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), async (steps) => {
          for (const one of steps) {
            await perform(one);
            const { counts, rows } = await counted(scene);
            expect(counts, JSON.stringify(steps)).toEqual(rows);
            expect(counts[2]).toBeLessThanOrEqual(QUOTA);
          }
          const check = await get('POST', `/vaults/${scene.containerId}/check`, { level: 'full' });
          expect(check.faults).toEqual([]);
        }),
        { numRuns: inStage(3, 3, runs(40)) },
      );
    },
  );

  it('let in exactly those that fit, of 20 at once, and again what was given back', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    await scene.get('PATCH', `/vaults/${scene.containerId}`, { quotaBytes: 1_050 });
    const many = async (token = scene.owner.token) => {
      const begun = await Promise.all(Array.from({ length: 20 }, async () => await scene.begin(100, { token })));
      return {
        fit: begun.filter(({ status }) => status === 201).map(({ body }) => body.sessionId as string),
        others: [...new Set(begun.filter(({ status }) => status !== 201).map(said))],
      };
    };
    const first = await many();
    expect([first.fit.length, first.others]).toEqual([10, ['413 CONTAINER_QUOTA_EXCEEDED']]);
    // Given up, and there is room for exactly those again.
    await Promise.all(first.fit.slice(0, 4).map(async (id) => await scene.get('DELETE', `/upload/${id}`)));
    expect((await many()).fit).toHaveLength(4);
    expect(await counted(scene)).toMatchObject({ counts: [0, 1_000, 1_000], rows: [0, 1_000, 1_000] });
    // Expired.
    house.clock.advance(DAY);
    await purgeFiles(house.ctx);
    expect(await counted(scene)).toMatchObject({ counts: [0, 0, 0] });
    const token = await house.signIn(scene.owner);
    const id = await scene.file(Buffer.alloc(550), { token });
    expect((await many(token)).fit).toHaveLength(5);
    await scene.get('POST', `/destroy/${id}`, {}, { token });
    expect((await many(token)).fit).toHaveLength(5);
    expect(await counted(scene)).toMatchObject({ counts: [0, 1_000, 1_000], rows: [0, 1_000, 1_000] });
  });

  it('of the member hold over all containers, of 20 at once', async () => {
    const perMemberBytes = 1_050;
    await using scene = await openScene(engine, { config: { storage: { perMemberBytes } } });
    const other = await scene.get('POST', '/vaults', { name: 'Other' });
    const begun = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        index % 2 === 0
          ? await scene.begin(100)
          : await scene.begin(100, { container: other.id, folder: other.rootFolderId }),
      ),
    );
    expect(begun.filter(({ status }) => status === 201)).toHaveLength(10);
    expect([...new Set(begun.filter(({ status }) => status !== 201).map(said))]).toEqual([
      '413 STORAGE_QUOTA_EXCEEDED',
    ]);
    expect(await scene.get('GET', '/usage')).toMatchObject({ usedBytes: 1_000, quotaBytes: 1_050 });
  });
});

describe.each(engines)('usage on %s', (engine) => {
  it('says what versions, uploads and the trash take', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('first');
    await scene.file('the second', { replaces: id });
    const folder = await scene.folder('folder');
    const inside = await scene.file('in the trash', { folder });
    await scene.file('in the trash!', { folder, replaces: inside });
    await scene.get('DELETE', `/folders/${folder}`);
    await scene.begin(100);
    const usage = await scene.get('GET', '/usage');
    expect(usage).toMatchObject({ usedBytes: 140, filesBytes: 140 });
    expect(usage.containers).toEqual([
      {
        id: scene.containerId,
        name: 'Home',
        state: 'active',
        usedBytes: 40,
        reservedBytes: 100,
        trashBytes: 25,
        versionsBytes: 5,
        quotaBytes: usage.quotaBytes,
      },
    ]);
  });

  it('of a folder counts what the caller may see, and nothing else', async () => {
    await using scene = await openScene(engine);
    const top = await scene.folder('top');
    const [open, hidden] = [await scene.folder('open', top), await scene.folder('hidden', top)];
    const deep = await scene.folder('deep', hidden);
    await scene.file('12345', { folder: open });
    await scene.file('1234567', { folder: hidden });
    await scene.file('123', { folder: deep, name: 'deep.txt' });
    const alone = await scene.file('1', { folder: top, name: 'alone.txt' });
    const trashed = await scene.file('in the trash', { folder: open });
    await scene.get('DELETE', `/files/${trashed}`);
    const usage = await scene.get('GET', `/folders/${top}/usage`);
    expect(usage).toEqual({
      id: top,
      name: 'top',
      sizeBytes: 16,
      files: 4,
      folders: 3,
      children: [
        { id: hidden, name: 'hidden', itemType: 'folder', sizeBytes: 10, files: 2 },
        { id: open, name: 'open', itemType: 'folder', sizeBytes: 5, files: 1 },
        { id: alone, name: 'alone.txt', itemType: 'file', sizeBytes: 1, files: 1 },
      ],
    });
    const member = await scene.house.register();
    const { token } = member;
    const ask = async () => await scene.call('GET', `/folders/${top}/usage`, undefined, { token });
    expect(said(await ask())).toBe('404 FOLDER_NOT_FOUND');
    await scene.grant('folder', top, { principalId: member.memberId, level: 'viewer' });
    await scene.grant('folder', hidden, { principalId: member.memberId, flags: [] });
    await scene.grant('folder', deep, { principalId: member.memberId, level: 'viewer' });
    expect((await ask()).body).toMatchObject({
      sizeBytes: 9,
      files: 3,
      children: [
        { name: 'open', sizeBytes: 5 },
        { name: 'hidden', sizeBytes: 3, files: 1 },
        { name: 'alone.txt', sizeBytes: 1 },
      ],
    });
    await scene.get('PUT', `/acl/folder/${top}`, { entries: [] });
    expect((await ask()).body).toMatchObject({ sizeBytes: 3, children: [{ name: 'hidden', sizeBytes: 3 }] });
    const many = inStage(20, 60, 300);
    for (let index = 0; index < many; index += 1) await scene.folder(`folder ${index}`, open);
    expect((await scene.get('GET', `/folders/${open}/usage`)).folders).toBe(many);
  });
});
