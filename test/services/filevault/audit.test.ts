import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { transaction } from '../../../src/service/context.ts';
import { recordId } from '../../../src/platform/store/record-id.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

interface Entry {
  readonly action: string;
  readonly memberId: string;
  readonly name: string | null;
  readonly fileId: string | null;
  readonly ledgerIndex: number;
  readonly ledgerEntryId: string;
}

async function actions(scene: Scene, query = '', token = scene.owner.token): Promise<string[]> {
  const { entries } = await scene.get('GET', `/audit?limit=100${query}`, undefined, { token });
  return entries.map(({ action }: Entry) => action);
}

/** The body of an export, in the pieces in which it came. */
async function exported({ house, owner }: Scene, query = '', { token }: HouseMember = owner): Promise<string[]> {
  const answer = await house.fetch(
    new Request(`http://house.test/filevault/audit/export?${query}`, { headers: { authorization: `Bearer ${token}` } }),
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-length')).toBeNull();
  const pieces: string[] = [];
  for await (const piece of answer.body!) pieces.push(Buffer.from(piece).toString());
  return pieces;
}

describe.each(engines)('the audit log on %s', (engine) => {
  it('has a record of everything that changes something, in the ledger and without names', async () => {
    await using scene = await openScene(engine);
    const { get, containerId, rootId } = scene;
    const other = await scene.house.register();
    const one = await scene.folder('secret-one');
    const two = await scene.folder('secret-two');
    const file = await scene.file('x', { name: 'secret.txt', folder: one });
    await get('PATCH', `/folders/${two}`, { name: 'secret-three' });
    await get('POST', `/folders/${two}/move`, { itemType: 'folder', newParentId: one });
    await get('POST', `/folders/${file}/move`, { itemType: 'file', newParentId: rootId });
    await get('PATCH', `/files/${file}`, { fileName: 'secret.pdf', tags: ['secret'] });
    await get('DELETE', `/files/${file}`);
    await get('POST', `/files/${file}/restore`, {});
    await get('DELETE', `/folders/${one}`);
    await get('POST', `/folders/${one}/restore`, {});
    await scene.grant('folder', one, { principalId: other.memberId, level: 'viewer' });
    const set = await get('POST', '/acl/permission-sets', { name: 'secret-set', flags: ['read'] });
    await get('DELETE', `/acl/permission-sets/${set.id}`);
    await get('DELETE', `/upload/${(await scene.begin(10)).body.sessionId}`);
    await get('PATCH', `/vaults/${containerId}`, { name: 'secret-name' });
    await get('POST', `/vaults/${containerId}/lock`);
    await get('POST', `/vaults/${containerId}/lock`);
    await get('POST', `/vaults/${containerId}/unlock`);
    await get('POST', `/vaults/${containerId}/destroy`, {});
    expect((await actions(scene)).toReversed()).toEqual([
      'CONTAINER_CREATED',
      'FOLDER_CREATED',
      'FOLDER_CREATED',
      'FILE_CREATED',
      'FOLDER_RENAMED',
      'FOLDER_MOVED',
      'FILE_MOVED',
      'FILE_CHANGED',
      'FILE_TRASHED',
      'FILE_RESTORED',
      'FOLDER_TRASHED',
      'FOLDER_RESTORED',
      'ACL_CHANGED',
      'PERMISSION_SET_CREATED',
      'PERMISSION_SET_REMOVED',
      'UPLOAD_ABORTED',
      'CONTAINER_CHANGED',
      'CONTAINER_LOCKED',
      'CONTAINER_UNLOCKED',
      'CONTAINER_DESTROYED',
      'DESTRUCTION_BEGUN',
      'FILE_DESTROYED',
    ]);
    const rows = await scene.house.ctx.db.selectFrom('file_audit').selectAll().execute();
    const bodies = await scene.house.ctx.db.selectFrom('ledger_entries').selectAll().execute();
    const openings = await scene.house.ctx.db.selectFrom('ledger_openings').select('details').execute();
    const kept = [JSON.stringify(rows), ...bodies.map(({ body }) => Buffer.from(body).toString())];
    for (const { details } of openings) kept.push(Buffer.from(details).toString());
    expect(kept.filter((text) => text.includes('secret'))).toEqual([]);
    expect(openings.length).toBeGreaterThanOrEqual(rows.length);
  });

  it('shows owners all, administrators what is below, and everybody what they did', async () => {
    await using scene = await openScene(engine);
    const { get } = scene;
    const [admin, editor, stranger] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ];
    const folder = await scene.folder('shared');
    const inner = await scene.folder('inner', folder);
    const closed = await scene.folder('closed', folder);
    await scene.grant('folder', folder, { principalId: admin.memberId, flags: ['read', 'admin'] });
    await scene.grant('folder', folder, { principalId: editor.memberId, level: 'editor' });
    await scene.grant('folder', closed, { principalId: admin.memberId, flags: [] });
    const below = await scene.file('x', { folder: inner, token: editor.token, name: 'below.txt' });
    const hidden = await scene.file('y', { folder: closed, name: 'hidden.txt' });
    const beside = await scene.file('z', { name: 'beside.txt' });
    const gone = await scene.file('gone', { folder: inner });
    await get('POST', `/destroy/${gone}`, {});
    const seen = async (token: string, query = '') => {
      const { entries } = await get('GET', `/audit?limit=100${query}`, undefined, { token });
      return entries.map(({ action, fileId, name }: Entry) => [action, fileId, name]);
    };
    const all = await seen(scene.owner.token, `&vaultContainerId=${scene.containerId}`);
    expect(all).toEqual(await seen(scene.owner.token));
    expect(all).toContainEqual(['FILE_CREATED', hidden, 'hidden.txt']);
    expect(all).toContainEqual(['FILE_CREATED', below, 'below.txt']);
    expect(all).toContainEqual(['CONTAINER_CREATED', null, null]);
    const administered = await seen(admin.token);
    expect(administered).toEqual([
      ['FILE_DESTROYED', gone, null],
      ['DESTRUCTION_BEGUN', gone, null],
      ['FILE_CREATED', gone, null],
      ['FILE_CREATED', below, 'below.txt'],
      ['ACL_CHANGED', folder, 'shared'],
      ['ACL_CHANGED', folder, 'shared'],
      ['FOLDER_CREATED', inner, 'inner'],
      ['FOLDER_CREATED', folder, 'shared'],
    ]);
    expect(await seen(editor.token)).toEqual([['FILE_CREATED', below, 'below.txt']]);
    expect(await seen(stranger.token)).toEqual([]);
    const of = `/audit?vaultContainerId=${scene.containerId}`;
    expect(said(await scene.call('GET', of, undefined, { token: stranger.token }))).toBe('404 CONTAINER_NOT_FOUND');
    expect(said(await scene.call('GET', `/audit?vaultContainerId=${'0'.repeat(32)}`))).toBe('404 CONTAINER_NOT_FOUND');
    // What they did stays theirs, and what it is called they know no longer.
    await get('PUT', `/acl/folder/${folder}`, { entries: [] });
    expect(await seen(admin.token)).toEqual([]);
    expect(await seen(editor.token)).toEqual([['FILE_CREATED', below, null]]);
    expect(await seen(scene.owner.token, `&fileId=${beside}`)).toEqual([['FILE_CREATED', beside, 'beside.txt']]);
  });

  it('is filtered by container, file, member, action and time, and paged', async () => {
    await using scene = await openScene(engine);
    const editor = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: editor.memberId, level: 'editor' });
    const start = scene.house.clock.now();
    scene.house.clock.advance(1_000);
    const file = await scene.file('x', { token: editor.token });
    scene.house.clock.advance(1_000);
    await scene.read(file);
    const at = (ms: number) => new Date(start + ms).toISOString();
    expect(await actions(scene, `&member=${editor.username}`)).toEqual(['FILE_CREATED']);
    expect(await actions(scene, '&action=FILE_DOWNLOADED')).toEqual(['FILE_DOWNLOADED']);
    expect(await actions(scene, `&from=${at(1_000)}&to=${at(2_000)}`)).toEqual(['FILE_CREATED']);
    expect(await actions(scene, `&from=${at(2_000)}`)).toEqual(['FILE_DOWNLOADED']);
    expect(await actions(scene, `&to=${at(1)}&fileId=${scene.rootId}`)).toEqual(['ACL_CHANGED']);
    expect(said(await scene.call('GET', '/audit?member=nobody'))).toBe('404 MEMBER_NOT_FOUND');
    const first = await scene.get('GET', '/audit?limit=2');
    const second = await scene.get('GET', `/audit?limit=2&cursor=${first.cursor}`);
    expect([...first.entries, ...second.entries].map(({ action }: Entry) => action)).toEqual([
      'FILE_DOWNLOADED',
      'FILE_CREATED',
      'ACL_CHANGED',
      'CONTAINER_CREATED',
    ]);
    const [entry] = first.entries as [Entry];
    const stored = await scene.house.ctx.db
      .selectFrom('ledger_entries')
      .select('leaf_index')
      .where('entry_id', '=', entry.ledgerEntryId)
      .executeTakeFirstOrThrow();
    expect(entry.ledgerIndex).toBe(stored.leaf_index);
  });

  it('is exported as lines and as a table that no spreadsheet calculates', async () => {
    await using scene = await openScene(engine);
    await scene.file('x', { name: '=cmd|x, "quoted"' });
    await scene.folder('-2+3');
    await scene.folder("'quoted");
    const lines = (await exported(scene)).join('').trimEnd().split('\n');
    const listed = (await scene.get('GET', '/audit?limit=100')).entries;
    expect(lines.map((line) => JSON.parse(line))).toEqual(listed.toReversed());
    const table = (await exported(scene, 'format=csv')).join('');
    const rows = parse(table, { record_delimiter: '\r\n' });
    expect(rows.slice(1).map(([, , , , , , , name]) => name?.replace(/^'(?=[=-])/, ''))).toEqual(
      listed.toReversed().map(({ name }: Entry) => name ?? ''),
    );
    const csv = table.split('\r\n');
    expect(csv[0]).toBe(
      'timestamp,action,memberId,username,address,vaultContainerId,fileId,name,details,id,ledgerEntryId,ledgerIndex',
    );
    expect(csv).toHaveLength(6);
    expect(csv[2]).toContain(`,"'=cmd|x, ""quoted""","{""versionId"":`);
    expect(csv[3]).toContain(`,"'-2+3",`);
    expect(csv[4]).toContain(`,"'quoted",`);
    const stranger = await scene.house.register();
    expect(await exported(scene, '', stranger)).toEqual([]);
  });

  it(
    'streams thousands of records piece by piece, and ends at what was there when it began',
    { tags: 'thorough' },
    async () => {
      await using scene = await openScene(engine);
      const { ctx } = scene.house;
      const records = inStage(1_000, 1_000, 10_000);
      for (let from = 0; from < records; from += 500)
        await transaction(ctx, async (tx) => {
          const rows = [];
          for (let index = from; index < from + 500; index += 1)
            rows.push({
              id: recordId(ctx.clock.now(), ctx.random),
              container_id: scene.containerId,
              node_id: scene.rootId,
              member_id: scene.owner.memberId,
              address: 'test',
              action: 'FILE_CHANGED',
              metadata: JSON.stringify({ index }),
              // One entry of the ledger for all but the first of a batch would be found twice, so each has its own.
              ledger_entry: await appendEntry(tx, { type: 'FILE_AUDIT' }),
              created_at: ctx.clock.now(),
            });
          await insertRows(tx.db, 'file_audit', rows);
        });
      const answer = await scene.house.fetch(
        new Request(`http://house.test/filevault/audit/export?action=FILE_CHANGED`, {
          headers: { authorization: `Bearer ${scene.owner.token}` },
        }),
      );
      const pieces: string[] = [];
      for await (const piece of answer.body!) {
        if (pieces.length === 0) await scene.get('PATCH', `/files/${await scene.file('later')}`, { tags: ['later'] });
        pieces.push(Buffer.from(piece).toString());
      }
      const indexes = pieces.flatMap((piece) =>
        piece
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).details.index),
      );
      expect(indexes).toEqual(Array.from({ length: records }, (_, index) => index));
      expect(pieces.length).toBeGreaterThanOrEqual(records / 500);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(400_000);
    },
  );
});
