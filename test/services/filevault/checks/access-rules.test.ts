import { describe, expect, it } from 'vitest';
import { engines } from '../../../support/stores.ts';
import { openScene, said } from '../scene.ts';

describe.each(engines)('check 8, inheritance on %s', (engine) => {
  it('follows lists below, empty lists, permission sets and moves, and names its source each time', async () => {
    await using scene = await openScene(engine);
    const { memberId: principalId, token } = await scene.house.register();
    const [outer, aside] = [await scene.folder('outer'), await scene.folder('aside')];
    const inner = await scene.folder('inner', outer);
    const file = await scene.file('x', { folder: inner });
    const effective = async (kind: 'file' | 'folder', id: string) => {
      const { level, inherited, source } = await scene.get('GET', `/acl/${kind}/${id}/effective/${principalId}`);
      return [level, inherited, source];
    };
    const put = async (kind: 'file' | 'folder', id: string, entries: readonly object[]) =>
      await scene.get('PUT', `/acl/${kind}/${id}`, { entries });
    expect(await effective('file', file)).toEqual(['none', false, 'none']);
    await put('folder', outer, [{ principalId, level: 'editor' }]);
    expect(await effective('file', file)).toEqual(['editor', true, `folder:${outer}`]);
    await put('folder', inner, [{ principalId, flags: ['read'] }]);
    expect(await effective('folder', inner)).toEqual(['custom', false, 'own']);
    expect(await effective('file', file)).toEqual(['custom', true, `folder:${inner}`]);
    const set = await scene.get('POST', '/acl/permission-sets', {
      name: 'Lookers',
      flags: ['read', 'preview', 'download'],
    });
    await put('file', file, [{ principalId, customPermissionSetId: set.id }]);
    expect(await effective('file', file)).toEqual(['viewer', false, 'own']);
    expect(said(await scene.call('DELETE', `/acl/permission-sets/${set.id}`))).toMatch(/^409 /);
    await put('file', file, [{ principalId, flags: [] }]);
    expect(await effective('file', file)).toEqual(['none', false, 'own']);
    expect(said(await scene.call('GET', `/files/${file}/metadata`, undefined, { token }))).toBe('404 FILE_NOT_FOUND');
    await put('file', file, []);
    await put('folder', inner, []);
    expect(await effective('file', file)).toEqual(['editor', true, `folder:${outer}`]);
    // Below another folder its list decides, and nothing of the old one stays.
    await put('folder', aside, [{ principalId, level: 'viewer' }]);
    const move = async (newParentId: string) =>
      await scene.get('POST', `/folders/${inner}/move`, { itemType: 'folder', newParentId });
    await move(aside);
    expect(await effective('file', file)).toEqual(['viewer', true, `folder:${aside}`]);
    expect(said(await scene.call('PATCH', `/files/${file}`, { tags: ['x'] }, { token }))).toBe('403 FORBIDDEN');
    await move(scene.rootId);
    expect(await effective('file', file)).toEqual(['none', false, 'none']);
    expect(said(await scene.call('GET', `/folders/${inner}`, undefined, { token }))).toBe('404 FOLDER_NOT_FOUND');
  });
});

describe.each(engines)('check 9, conditions on %s', (engine) => {
  it('go by the address that a configured proxy saw, and by no header of the client', async () => {
    await using scene = await openScene(engine, { config: { trustedProxies: ['10.0.0.0/8'] } });
    const { memberId, token } = await scene.house.register();
    const folder = await scene.folder('folder');
    const conditions = { cidrs: ['192.0.2.0/24'] };
    await scene.grant('folder', folder, { principalId: memberId, level: 'viewer', conditions });
    const ask = async (address: string, headers: Record<string, string> = {}) =>
      (await scene.call('GET', `/folders/${folder}`, undefined, { token, address, headers })).status;
    expect(await ask('192.0.2.7')).toBe(200);
    expect(await ask('::ffff:192.0.2.7')).toBe(200);
    expect(await ask('::ffff:198.51.100.1')).toBe(404);
    expect(await ask('10.1.2.3', { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' })).toBe(200);
    // What stands before the last address of a proxy is what the client wrote.
    expect(await ask('10.1.2.3', { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' })).toBe(404);
    for (const name of [
      'x-real-ip',
      'x-client-ip',
      'true-client-ip',
      'cf-connecting-ip',
      'x-forwarded-for',
      'forwarded',
    ])
      for (const value of ['192.0.2.7', 'for=192.0.2.7'])
        expect(await ask('198.51.100.1', { [name]: value }), name).toBe(404);
  });

  it('go by the clock of their time zone, also where it changes, and end at the exact moment', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    const member = await house.register();
    const folder = await scene.folder('folder');
    // In Prague it is 2 o'clock, then 3: at 01:00 UTC of 29 March 2026 summer time begins.
    const hours = { from: '02:00', to: '04:00', timeZone: 'Europe/Prague' };
    const conditions = { hours, notAfter: '2026-03-30T00:30:00.000Z' };
    await scene.grant('folder', folder, { principalId: member.memberId, level: 'viewer', conditions });
    const at = async (time: string) => {
      house.clock.advance(Date.parse(time) - house.clock.now());
      const token = await house.signIn(member);
      return (await scene.call('GET', `/folders/${folder}`, undefined, { token })).status;
    };
    for (const [time, status] of [
      ['2026-03-28T00:59:59.999Z', 404],
      ['2026-03-28T01:00:00.000Z', 200],
      ['2026-03-28T02:59:59.999Z', 200],
      ['2026-03-28T03:00:00.000Z', 404],
      ['2026-03-29T00:59:59.999Z', 404],
      ['2026-03-29T01:00:00.000Z', 200],
      ['2026-03-29T01:59:59.999Z', 200],
      ['2026-03-29T02:00:00.000Z', 404],
      ['2026-03-30T00:29:59.999Z', 200],
      ['2026-03-30T00:30:00.000Z', 404],
    ] as const)
      expect(await at(time), time).toBe(status);
  });
});

describe.each(engines)('check 30, moves on %s', (engine) => {
  it('meet names that are the same but for case and composition, and change nothing then', async () => {
    await using scene = await openScene(engine);
    const [from, to] = [await scene.folder('from'), await scene.folder('to')];
    const other = await scene.get('POST', '/vaults', { name: 'Other' });
    for (const [one, same] of [
      ['Straße.txt', 'STRASSE.TXT'],
      ['İ.txt', 'i̇.TXT'],
      ['Ångström.txt', 'A\u030angstro\u0308m.TXT'],
      ['ﬁle.txt', 'FILE.TXT'],
    ] as const) {
      await scene.file('there', { name: one, folder: to });
      const id = await scene.file('moved', { name: same, folder: from });
      const move = { itemType: 'file', newParentId: to };
      expect(said(await scene.call('POST', `/folders/${id}/move`, move)), one).toBe('409 NAME_TAKEN');
      const away = { itemType: 'file', newParentId: other.rootFolderId };
      expect(said(await scene.call('POST', `/folders/${id}/move`, away)), one).toBe('400 VALIDATION_ERROR');
      expect((await scene.get('GET', `/files/${id}/metadata`)).folderId, one).toBe(from);
    }
    expect(said(await scene.call('POST', `/folders/${from}/move`, { itemType: 'folder', newParentId: from }))).toBe(
      '409 CIRCULAR_MOVE',
    );
    // Two folders that are moved into each other at once: one at most gets there.
    const [a, b] = [await scene.folder('a'), await scene.folder('b')];
    const both = await Promise.all([
      scene.call('POST', `/folders/${a}/move`, { itemType: 'folder', newParentId: b }),
      scene.call('POST', `/folders/${b}/move`, { itemType: 'folder', newParentId: a }),
    ]);
    expect(both.map(said).toSorted()).toEqual(['200 success', '409 CIRCULAR_MOVE']);
    expect((await scene.get('GET', `/folders/${scene.rootId}`)).subfolders.length).toBe(3);
  });
});
