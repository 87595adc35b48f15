import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';

const names = (items: readonly { name: string }[]): string[] => items.map(({ name }) => name);

async function create(scene: Scene, name: unknown, parentFolderId = scene.rootId) {
  return await scene.call('POST', '/folders', { name, parentFolderId, vaultContainerId: scene.containerId });
}

describe.each(engines)('folders on %s', (engine) => {
  it('refuses names that could mislead, and says which field', async () => {
    await using scene = await openScene(engine);
    const bad = [
      'a/b',
      'a\\b',
      'a\u0000b',
      '',
      '   ',
      '.',
      '..',
      'x'.repeat(256),
      'ž'.repeat(128),
      'a\u202egnp.exe',
      7,
      null,
    ];
    for (const name of bad) {
      const answer = await create(scene, name);
      expect([said(answer), answer.body.errors?.[0]?.path], JSON.stringify(name)).toEqual([
        '400 VALIDATION_ERROR',
        'name',
      ]);
    }
    for (const name of ['CON', 'nul.txt', 'trailing dot.', '%2e%2e', 'x'.repeat(255), '👩‍👩‍👧'])
      expect((await create(scene, name)).status, name).toBe(201);
  });

  it('keeps names unique without regard to case and composition, for folders and files together', async () => {
    await using scene = await openScene(engine);
    for (const [one, other] of [
      ['Straße', 'STRASSE'],
      ['Å', 'A\u030a'],
      ['ΌΣΟΣ', 'όσος'],
      ['Notes', 'nOTES'],
    ] as const) {
      expect((await create(scene, one)).status, one).toBe(201);
      expect(said(await create(scene, other)), other).toBe('409 NAME_TAKEN');
      expect(said(await scene.begin(1, { name: other })), other).toBe('409 NAME_TAKEN');
    }
  });

  it('nests 128 folders and no more, also by moves', async () => {
    await using scene = await openScene(engine);
    const chain = [scene.rootId];
    for (let depth = 1; depth < 128; depth += 1) chain.push(await scene.folder(`f${depth}`, chain.at(-1)));
    expect(said(await create(scene, 'too deep', chain.at(-1)))).toBe('409 FOLDERS_TOO_DEEP');
    const tall = await scene.folder('tall');
    await scene.folder('inner', tall);
    const move = async (parent: string) =>
      said(await scene.call('POST', `/folders/${tall}/move`, { itemType: 'folder', newParentId: parent }));
    expect(await move(chain[126]!)).toBe('409 FOLDERS_TOO_DEEP');
    expect(await move(chain[125]!)).toBe('200 success');
  });

  it('moves without cycles, and never the root folder or into another container', async () => {
    await using scene = await openScene(engine);
    const a = await scene.folder('a');
    const b = await scene.folder('b', a);
    const file = await scene.file('x', { name: 'x.txt', folder: b });
    const move = async (id: string, newParentId: string, itemType = 'folder') =>
      await scene.call('POST', `/folders/${id}/move`, { itemType, newParentId });
    expect(said(await move(a, a))).toBe('409 CIRCULAR_MOVE');
    expect(said(await move(a, b))).toBe('409 CIRCULAR_MOVE');
    expect(said(await move(scene.rootId, a))).toBe('409 ROOT_FOLDER');
    const other = await scene.get('POST', '/vaults', { name: 'Other' });
    const away = await move(a, other.rootFolderId);
    expect([said(away), away.body.errors[0].path]).toEqual(['400 VALIDATION_ERROR', 'newParentId']);
    expect(said(await move(file, a))).toBe('404 FOLDER_NOT_FOUND');
    expect(said(await move(file, scene.rootId, 'file'))).toBe('200 success');
    expect(said(await move(b, scene.rootId))).toBe('200 success');
    expect(said(await move(a, b))).toBe('200 success');
    expect(names((await scene.get('GET', `/folders/${b}`)).subfolders)).toEqual(['a']);
  });

  it('hides what is in the trash on every route, and restores it to its place', async () => {
    await using scene = await openScene(engine);
    const outer = await scene.folder('outer');
    const inner = await scene.folder('inner', outer);
    const file = await scene.file('x', { name: 'x.txt', folder: inner });
    expect(said(await scene.call('DELETE', `/folders/${outer}`))).toBe('204 success');
    const paths: readonly string[] = [
      `/folders/${outer}`,
      `/folders/${inner}`,
      `/folders/${inner}/path`,
      '/folders/resolve/outer/inner',
      `/acl/folder/${inner}`,
    ];
    for (const path of paths) expect(said(await scene.call('GET', path)), path).toBe('404 FOLDER_NOT_FOUND');
    for (const path of [
      `/files/${file}`,
      `/files/${file}/metadata`,
      `/files/${file}/preview`,
      `/files/${file}/versions`,
    ])
      expect(said(await scene.call('GET', path)), path).toBe('404 FILE_NOT_FOUND');
    expect((await scene.get('GET', '/files/search?query=x.txt')).total).toBe(0);
    expect((await scene.get('GET', '/files/search?query=x.txt&deleted=true')).total).toBe(1);
    expect((await scene.get('GET', '/folders/root')).subfolders).toEqual([]);
    const below = await scene.call('POST', `/folders/${inner}/restore`, {});
    expect([said(below), below.body.message]).toEqual([
      '400 NOT_IN_TRASH',
      'It is in a folder of the trash. Restore that folder.',
    ]);
    await scene.folder('OUTER');
    const restored = await scene.get('POST', `/folders/${outer}/restore`, {});
    expect(restored.folder.name).toBe('outer (2)');
    expect((await scene.read(file)).status).toBe(200);
    expect(said(await scene.call('POST', `/folders/${outer}/restore`, {}))).toBe('400 NOT_IN_TRASH');
  });

  it('restores a file of a folder that is gone to the nearest folder above', async () => {
    await using scene = await openScene(engine);
    const outer = await scene.folder('outer');
    const inner = await scene.folder('inner', outer);
    const file = await scene.file('x', { name: 'x.txt', folder: inner });
    await scene.get('DELETE', `/files/${file}`);
    await scene.get('DELETE', `/folders/${inner}`);
    const { file: restored } = await scene.get('POST', `/files/${file}/restore`, {});
    expect(restored).toMatchObject({ folderId: outer, name: 'x.txt', deletedAt: null });
  });

  it('finds by path without regard to case, and nothing by tricks', async () => {
    await using scene = await openScene(engine);
    const reports = await scene.folder('Reports');
    await scene.file('x', { name: 'Žár.txt', folder: reports });
    const found = await scene.get('GET', `/folders/resolve/REPORTS/${encodeURIComponent('žÁR.TXT')}`);
    expect(names(found.folders)).toEqual(['Home', 'Reports']);
    expect(found.file.name).toBe('Žár.txt');
    expect((await scene.get('GET', '/folders/resolve/reports')).file).toBeNull();
    for (const path of [
      'reports/%2e%2e',
      'reports/..%2freports',
      '%252e%252e',
      'reports%00',
      'reports/žár.txt/x',
      'nothing',
    ])
      expect((await scene.call('GET', `/folders/resolve/${path}`)).status, path).toBeGreaterThanOrEqual(400);
  });

  it('refuses every change in a locked container, and still shows and sends', async () => {
    await using scene = await openScene(engine);
    const folder = await scene.folder('folder');
    const file = await scene.file('x', { name: 'x.txt' });
    const trashed = await scene.folder('trashed');
    await scene.get('DELETE', `/folders/${trashed}`);
    const [version] = await scene.get('GET', `/files/${file}/versions`);
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    const changes: readonly (readonly ['POST' | 'PATCH' | 'PUT' | 'DELETE', string, object?])[] = [
      ['POST', '/folders', { name: 'x', parentFolderId: folder, vaultContainerId: scene.containerId }],
      ['PATCH', `/folders/${folder}`, { name: 'y' }],
      ['DELETE', `/folders/${folder}`],
      ['POST', `/folders/${trashed}/restore`, {}],
      ['POST', `/folders/${folder}/move`, { itemType: 'folder', newParentId: scene.rootId }],
      ['PUT', `/acl/folder/${folder}`, { entries: [] }],
      ['PATCH', `/files/${file}`, { fileName: 'y' }],
      ['DELETE', `/files/${file}`],
      ['POST', `/files/${file}/versions/${version.versionId}/restore`, {}],
      ['PATCH', `/vaults/${scene.containerId}`, { name: 'z' }],
    ];
    for (const [method, path, body] of changes)
      expect(said(await scene.call(method, path, body)), `${method} ${path}`).toBe('403 CONTAINER_LOCKED');
    expect(said(await scene.begin(1))).toBe('403 CONTAINER_LOCKED');
    expect((await scene.read(file)).status).toBe(200);
    expect((await scene.get('GET', '/folders/root')).files).toHaveLength(1);
    await scene.get('POST', `/vaults/${scene.containerId}/unlock`);
    expect((await scene.call('DELETE', `/files/${file}`)).status).toBe(204);
  });

  it('sorts by every field both ways, and pages without missing or repeating anything', async () => {
    await using scene = await openScene(engine);
    for (const [index, name] of ['b.txt', 'a.pdf', 'C.png', 'd.zip'].entries()) {
      scene.house.clock.advance(1_000);
      await scene.file('x'.repeat(10 - index), { name, type: `text/${'dcba'[index]}` });
      await scene.folder(`folder ${name}`);
    }
    const order = async (field: string, direction: string) => {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const page = await scene.get(
          'GET',
          `/folders/root?sortField=${field}&sortDirection=${direction}&limit=3${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...names(page.subfolders), ...names(page.files));
        if (!page.hasMore) return seen;
        cursor = page.cursor;
        // What comes and goes elsewhere moves nothing.
        await scene.get('DELETE', `/folders/${await scene.folder('zz passing')}`);
      }
    };
    const folders = ['folder a.pdf', 'folder b.txt', 'folder C.png', 'folder d.zip'];
    expect(await order('name', 'asc')).toEqual([...folders, 'a.pdf', 'b.txt', 'C.png', 'd.zip']);
    expect(await order('name', 'desc')).toEqual([...folders.toReversed(), 'd.zip', 'C.png', 'b.txt', 'a.pdf']);
    expect((await order('size', 'asc')).slice(4)).toEqual(['d.zip', 'C.png', 'a.pdf', 'b.txt']);
    expect((await order('modifiedDate', 'desc')).slice(4)).toEqual(['d.zip', 'C.png', 'a.pdf', 'b.txt']);
    expect((await order('type', 'asc')).slice(4)).toEqual(['d.zip', 'C.png', 'a.pdf', 'b.txt']);
    const { cursor } = await scene.get('GET', '/folders/root?limit=2');
    const other = await scene.call('GET', `/folders/root?limit=2&sortField=size&cursor=${cursor}`);
    expect(said(other)).toBe('400 INVALID_CURSOR');
  });
});
