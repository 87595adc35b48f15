import { describe, expect, inject, it } from 'vitest';
import { flagsOfLevel, permissionFlags, type PermissionFlag } from '../../../src/contract/filevault/limits.ts';
import { grantsBy, listOf, rightsBy, type EntryRow } from '../../../src/services/filevault/access/rights.ts';
import { seeded } from '../../support/run-seed.ts';
import { engines } from '../../support/stores.ts';
import { slowly } from './slow-rights.ts';
import { openScene, said, type Scene } from './scene.ts';

type Call = readonly [method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: object];

/** Every route on a folder or file that needs a permission, and which one; undefined: to see it is enough. */
function routes({ containerId }: Scene, folder: string, inner: string, file: string, version: string) {
  const calls: readonly (readonly [PermissionFlag | undefined, Call])[] = [
    [undefined, ['GET', `/folders/${folder}`]],
    [undefined, ['GET', `/folders/${folder}/path`]],
    [undefined, ['GET', `/folders/resolve/shared?vaultContainerId=${containerId}`]],
    [undefined, ['GET', `/acl/folder/${folder}`]],
    ['write', ['POST', '/folders', { name: 'new', parentFolderId: folder, vaultContainerId: containerId }]],
    ['write', ['PATCH', `/folders/${inner}`, { name: 'renamed' }]],
    ['delete', ['DELETE', `/folders/${inner}`]],
    ['admin', ['PUT', `/acl/folder/${inner}`, { entries: [] }]],
    ['read', ['GET', `/files/${file}/metadata`]],
    ['read', ['GET', `/files/${file}/versions`]],
    ['download', ['GET', `/files/${file}`]],
    ['download', ['GET', `/files/${file}/versions/${version}/download`]],
    ['preview', ['GET', `/files/${file}/preview`]],
    ['write', ['PATCH', `/files/${file}`, { description: 'changed' }]],
    ['manage_versions', ['POST', `/files/${file}/versions/${version}/restore`, {}]],
    ['delete', ['DELETE', `/files/${file}`]],
  ];
  return calls;
}

async function shared(scene: Scene) {
  const folder = await scene.folder('shared');
  const inner = await scene.folder('inner', folder);
  const file = await scene.file('content', { name: 'file.txt', folder });
  const [version] = await scene.get('GET', `/files/${file}/versions`);
  return { folder, inner, file, version: version.versionId as string };
}

describe.each(engines)('permissions in the file vault on %s', (engine) => {
  const entries: readonly (readonly [string, object, readonly PermissionFlag[]])[] = [
    ['viewer', { level: 'viewer' }, flagsOfLevel.viewer],
    ['commenter', { level: 'commenter' }, flagsOfLevel.commenter],
    ['editor', { level: 'editor' }, flagsOfLevel.editor],
    ['owner', { level: 'owner' }, flagsOfLevel.owner],
    ['flags alone', { flags: ['read', 'delete'] }, ['read', 'delete']],
    ['a level that flags limit', { level: 'editor', flags: ['read', 'write', 'admin'] }, ['read', 'write']],
    ['no flags', { flags: [] }, []],
    ['a condition that does not hold', { level: 'editor', conditions: { notAfter: '2026-01-01T00:00:00.000Z' } }, []],
  ];

  it.each(entries)('lets %s do what its flags say on every route, and nothing else', async (_, entry, flags) => {
    await using scene = await openScene(engine);
    const { folder, inner, file, version } = await shared(scene);
    const { memberId, token } = await scene.house.register();
    await scene.grant('folder', folder, { principalId: memberId, ...entry });
    for (const [flag, [method, path, body]] of routes(scene, folder, inner, file, version)) {
      const answer = await scene.call(method, path, body, { token });
      const where = `${method} ${path}`;
      if (flags.length === 0) {
        expect(answer.status, where).toBe(404);
      } else if (flag === undefined || flags.includes(flag)) {
        expect(answer.status, `${where} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
        if (method === 'DELETE') await scene.get('POST', `${path}/restore`, {});
      } else {
        expect([said(answer), answer.body.message], where).toEqual([
          '403 FORBIDDEN',
          `This needs the permission ${flag}. Ask the owner of the container.`,
        ]);
      }
    }
  });

  it('answers a stranger on every route as for what does not exist', async () => {
    await using scene = await openScene(engine);
    const { folder, inner, file, version } = await shared(scene);
    const { token } = await scene.house.register();
    const nothing = '0'.repeat(32);
    const calls = routes(scene, folder, inner, file, version).map(([, call]) => call);
    const more: readonly Call[] = [
      ['GET', `/vaults/${scene.containerId}`],
      ['PATCH', `/vaults/${scene.containerId}`, { name: 'x' }],
      ['POST', `/vaults/${scene.containerId}/lock`],
      ['POST', `/vaults/${scene.containerId}/unlock`],
      ['POST', `/folders/${inner}/move`, { itemType: 'folder', newParentId: folder }],
      ['POST', `/folders/${inner}/restore`, {}],
      ['POST', `/files/${file}/restore`, {}],
      ['GET', `/acl/file/${file}`],
      ['GET', `/acl/folder/${folder}/effective/${scene.owner.memberId}`],
      ['GET', `/folders/root?vaultContainerId=${scene.containerId}`],
      ['GET', `/files/search?folderId=${folder}`],
    ];
    for (const [method, path, body] of [...calls, ...more]) {
      if (path.includes('resolve')) continue;
      const swap = (text: string) => text.replaceAll(/[0-9a-f]{32}/g, nothing);
      const real = await scene.call(method, path, body, { token });
      const made = await scene.call(method, swap(path), body && JSON.parse(swap(JSON.stringify(body))), { token });
      expect([real.status, real.body], `${method} ${path}`).toEqual([404, made.body]);
    }
    expect(await scene.get('GET', '/vaults', undefined, { token })).toEqual([]);
    expect((await scene.get('GET', '/files/search?query=file', undefined, { token })).total).toBe(0);
    expect(said(await scene.call('GET', '/folders/not-hex'))).toBe('400 VALIDATION_ERROR');
  });

  it('lets the nearest list decide, and shows folders on the way by their names alone', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const top = await scene.folder('top');
    const deep = await scene.folder('deep', top);
    await scene.folder('sibling', top);
    await scene.file('hidden', { name: 'hidden.txt', folder: top });
    await scene.file('12345', { name: 'seen.txt', folder: deep });
    await scene.grant('folder', deep, { principalId: memberId, level: 'viewer' });
    const as = { token };
    const [container] = await scene.get('GET', '/vaults', undefined, as);
    expect(container).toMatchObject({ fileCount: 1, folderCount: 1, usedBytes: 5 });
    const listed = await scene.get('GET', `/folders/${top}`, undefined, as);
    expect([listed.files, listed.subfolders.map((one: { name: string }) => one.name)]).toEqual([[], ['deep']]);
    const walked = await scene.get(
      'GET',
      `/folders/resolve/top/deep?vaultContainerId=${scene.containerId}`,
      undefined,
      as,
    );
    expect(walked.folders).toHaveLength(3);
    const found = await scene.get('GET', '/files/search', undefined, as);
    expect([found.total, found.results[0].name]).toEqual([1, 'seen.txt']);
    expect(
      said(
        await scene.call(
          'POST',
          '/folders',
          { name: 'x', parentFolderId: top, vaultContainerId: scene.containerId },
          as,
        ),
      ),
    ).toBe('403 FORBIDDEN');
    await scene.grant('folder', scene.rootId, { principalId: memberId, level: 'editor' });
    const effective = async (id: string) =>
      await scene.get('GET', `/acl/folder/${id}/effective/${memberId}`, undefined, as);
    expect(await effective(top)).toMatchObject({ level: 'editor', inherited: true, source: `folder:${scene.rootId}` });
    expect(await effective(deep)).toMatchObject({ level: 'viewer', inherited: false, source: 'own' });
    await scene.get('PUT', `/acl/folder/${deep}`, { entries: [] });
    expect(await effective(deep)).toMatchObject({ level: 'editor', inherited: true });
    await scene.get('PUT', `/acl/folder/${top}`, { entries: [{ principalId: memberId, flags: [] }] });
    expect(said(await scene.call('GET', `/folders/${deep}`, undefined, as))).toBe('404 FOLDER_NOT_FOUND');
    expect(
      (await scene.get('GET', `/folders/root?vaultContainerId=${scene.containerId}`, undefined, as)).subfolders,
    ).toEqual([]);
  });

  it('counts an entry only while its conditions hold', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const folder = await scene.folder('folder');
    const ask = async (conditions: object, address = '192.0.2.7', headers = {}) => {
      await scene.get('PUT', `/acl/folder/${folder}`, {
        entries: [{ principalId: memberId, level: 'viewer', conditions }],
      });
      const { status } = await scene.call('GET', `/folders/${folder}`, undefined, { token, address, headers });
      return status;
    };
    // It is Thursday, 15 January 2026, 12:00 UTC.
    expect(await ask({ cidrs: ['192.0.2.0/24'] })).toBe(200);
    expect(await ask({ cidrs: ['192.0.2.0/24'] }, '::ffff:192.0.2.9')).toBe(200);
    expect(await ask({ cidrs: ['2001:db8::/32', '10.0.0.0/8'] }, '2001:db8::1')).toBe(200);
    expect(await ask({ cidrs: ['192.0.2.0/24'] }, '198.51.100.1')).toBe(404);
    const forged = { 'x-forwarded-for': '192.0.2.7', 'x-real-ip': '192.0.2.7', forwarded: 'for=192.0.2.7' };
    expect(await ask({ cidrs: ['192.0.2.0/24'] }, '198.51.100.1', forged)).toBe(404);
    expect(await ask({ notAfter: '2026-01-15T12:00:00.001Z' })).toBe(200);
    expect(await ask({ notAfter: '2026-01-15T12:00:00.000Z' })).toBe(404);
    expect(await ask({ notBefore: '2026-01-15T12:00:00.000Z' })).toBe(200);
    expect(await ask({ notBefore: '2026-01-15T12:00:00.001Z' })).toBe(404);
    const hours = (from: string, to: string, timeZone: string, days?: string[]) => ({
      hours: { from, to, timeZone, ...(days && { days }) },
    });
    expect(await ask(hours('13:00', '13:01', 'Europe/Prague'))).toBe(200);
    expect(await ask(hours('12:00', '13:00', 'Europe/Prague'))).toBe(404);
    expect(await ask(hours('22:00', '13:30', 'Europe/Prague', ['wednesday']))).toBe(200);
    expect(await ask(hours('22:00', '13:30', 'Europe/Prague', ['thursday']))).toBe(404);
    expect(await ask(hours('00:00', '00:00', 'Asia/Tokyo', ['thursday']))).toBe(200);
    for (const [conditions, path] of [
      [{ cidrs: ['10.0.0.0/33'] }, 'entries.0.conditions.cidrs.0'],
      [{ cidrs: ['fe80::1%eth0'] }, 'entries.0.conditions.cidrs.0'],
      [{ hours: { from: '08:00', to: '25:00', timeZone: 'UTC' } }, 'entries.0.conditions.hours.to'],
      [hours('08:00', '09:00', 'Mars/Base'), 'entries.0.conditions.hours.timeZone'],
      [
        { notBefore: '2026-02-01T00:00:00.000Z', notAfter: '2026-01-01T00:00:00.000Z' },
        'entries.0.conditions.notAfter',
      ],
      [{ cidr: ['10.0.0.0/8'] }, 'entries.0.conditions.cidr'],
    ] as const) {
      const body = { entries: [{ principalId: memberId, level: 'viewer', conditions }] };
      const answer = await scene.call('PUT', `/acl/folder/${folder}`, body);
      expect([said(answer), answer.body.errors[0].path]).toEqual(['400 VALIDATION_ERROR', path]);
    }
  });

  it('check 7: lets nobody grant what they do not hold, in no way', async () => {
    await using scene = await openScene(engine);
    const admin = await scene.house.register();
    const eve = await scene.house.register();
    const folder = await scene.folder('folder');
    const own = { principalId: admin.memberId, flags: ['read', 'admin', 'delete', 'write'] };
    const refused = { principalId: eve.memberId, flags: [] };
    await scene.grant('folder', scene.rootId, { principalId: eve.memberId, level: 'editor' });
    await scene.get('PUT', `/acl/folder/${folder}`, { entries: [own, refused] });
    const put = async (...list: readonly object[]) =>
      await scene.call('PUT', `/acl/folder/${folder}`, { entries: list }, { token: admin.token });
    const answer = await put(own, refused, { principalId: admin.memberId, level: 'owner' });
    expect([said(answer), answer.body.message]).toEqual([
      '403 FORBIDDEN',
      'You cannot grant what you do not hold: share, preview, comment, download, manage_versions.',
    ]);
    // Without the refusal, Eve would inherit more than the administrator holds.
    expect((await put(own)).body.message).toBe(
      'You cannot grant what you do not hold: preview, comment, download, manage_versions.',
    );
    expect((await put(own, { principalId: eve.memberId, flags: ['read'] })).status).toBe(200);
    expect((await put(own, refused)).status).toBe(200);
    expect((await put(own, { principalId: scene.owner.memberId, flags: [] }, refused)).status).toBe(200);
    expect((await scene.call('GET', `/folders/${folder}`)).status).toBe(200);
    // A folder in which the administrator holds more.
    const rich = await scene.folder('rich');
    await scene.grant('folder', rich, { principalId: admin.memberId, level: 'owner' });
    const inner = await scene.folder('inner', folder);
    const move = await scene.call(
      'POST',
      `/folders/${inner}/move`,
      { itemType: 'folder', newParentId: rich },
      { token: admin.token },
    );
    expect([said(move), move.body.message.split(':')[0]]).toEqual([
      '403 FORBIDDEN',
      'In that folder you would have permissions that you do not have now',
    ]);
    expect((await scene.get('GET', `/folders/${inner}/path`)).map((one: { name: string }) => one.name)).toEqual([
      'Home',
      'folder',
      'inner',
    ]);
  });

  it('shows the entries of others only to those who may share or administer', async () => {
    await using scene = await openScene(engine);
    const [viewer, admin] = [await scene.house.register(), await scene.house.register()];
    const folder = await scene.folder('folder');
    const list = [
      { principalId: viewer.memberId, level: 'viewer' },
      { principalId: admin.memberId, flags: ['read', 'admin'] },
    ];
    await scene.get('PUT', `/acl/folder/${folder}`, { entries: list });
    const seen = async (token: string) =>
      (await scene.get('GET', `/acl/folder/${folder}`, undefined, { token })).entries.length as number;
    expect([await seen(viewer.token), await seen(admin.token), await seen(scene.owner.token)]).toEqual([1, 2, 2]);
    const ask = async (token: string, of: string) =>
      said(await scene.call('GET', `/acl/folder/${folder}/effective/${of}`, undefined, { token }));
    expect(await ask(viewer.token, viewer.memberId)).toBe('200 success');
    expect(await ask(viewer.token, admin.memberId)).toBe('404 MEMBER_NOT_FOUND');
    expect(await ask(admin.token, viewer.memberId)).toBe('200 success');
    expect(await ask(admin.token, 'f'.repeat(24))).toBe('404 MEMBER_NOT_FOUND');
    await scene.get('POST', `/vaults/${scene.containerId}/lock`);
    const { flags } = await scene.get('GET', `/acl/folder/${folder}/effective/${scene.owner.memberId}`);
    expect(flags).toEqual(['read', 'preview', 'comment', 'download']);
  });

  it('opens nothing where the conditions of the nearest list fail, whatever lists further up grant', async () => {
    await using scene = await openScene(engine);
    const [ann, bob] = [await scene.house.register(), await scene.house.register()];
    const outer = await scene.folder('outer');
    const inner = await scene.folder('inner', outer);
    for (const { memberId } of [ann, bob])
      await scene.grant('folder', outer, { principalId: memberId, level: 'owner' });
    const put = async (...list: readonly object[]) => await scene.get('PUT', `/acl/folder/${inner}`, { entries: list });
    const editor = { principalId: ann.memberId, level: 'editor', conditions: { notAfter: '2026-01-01T00:00:00.000Z' } };
    const effective = async (of: string) => await scene.get('GET', `/acl/folder/${inner}/effective/${of}`);
    const open = async ({ token }: { readonly token: string }) =>
      (await scene.call('GET', `/folders/${inner}`, undefined, { token })).status;
    await put(editor);
    expect([await open(ann), await open(bob)]).toEqual([404, 200]);
    expect(await effective(ann.memberId)).toMatchObject({ level: 'none', flags: [], inherited: false });
    const { subfolders } = await scene.get('GET', `/folders/${outer}`, undefined, { token: ann.token });
    expect(subfolders).toEqual([]);
    // Beside one without conditions it only adds.
    await put(editor, { principalId: ann.memberId, level: 'viewer' });
    expect(await effective(ann.memberId)).toMatchObject({ level: 'viewer', source: 'own' });
    await put();
    expect(await effective(ann.memberId)).toMatchObject({ level: 'owner', inherited: true });
  });

  it('keeps an owner without conditions in each list that has owners', async () => {
    await using scene = await openScene(engine);
    const [ann, bob] = [await scene.house.register(), await scene.house.register()];
    const folder = await scene.folder('folder');
    const conditions = { cidrs: ['192.0.2.0/24'] };
    const put = async (...list: readonly object[]) =>
      await scene.call('PUT', `/acl/folder/${folder}`, { entries: list });
    const bound = { principalId: ann.memberId, level: 'owner', conditions };
    const free = { principalId: bob.memberId, level: 'owner' };
    const editor = { principalId: bob.memberId, level: 'editor' };
    const refused = await put(editor, bound);
    expect([said(refused), refused.body.message]).toEqual([
      '400 VALIDATION_ERROR',
      'entries.1.conditions: cannot be there for the only entries of level owner. Add one without conditions, or use another level',
    ]);
    expect(said(await put(bound, free))).toBe('200 success');
    expect(said(await put(bound, { ...free, conditions }))).toBe('400 VALIDATION_ERROR');
    expect((await scene.get('GET', `/acl/folder/${folder}`)).entries).toHaveLength(2);
  });

  it('uses permission sets of one’s own, limited by the flags of an entry', async () => {
    await using scene = await openScene(engine);
    const { memberId, token } = await scene.house.register();
    const folder = await scene.folder('folder');
    const set = await scene.get('POST', '/acl/permission-sets', { name: 'Drop box', flags: ['write', 'read'] });
    expect(set.flags).toEqual(['read', 'write']);
    expect(said(await scene.call('POST', '/acl/permission-sets', { name: 'drop BOX', flags: [] }))).toBe(
      '409 NAME_TAKEN',
    );
    const entry = { principalId: memberId, customPermissionSetId: set.id, flags: ['write', 'delete'] };
    await scene.get('PUT', `/acl/folder/${folder}`, { entries: [entry] });
    const { entries: stored } = await scene.get('GET', `/acl/folder/${folder}`);
    expect(stored[0]).toMatchObject({ customPermissionSetId: set.id, flags: ['write'] });
    expect(await scene.get('GET', `/acl/folder/${folder}/effective/${memberId}`)).toMatchObject({
      flags: ['write'],
      level: 'custom',
    });
    expect(said(await scene.call('DELETE', `/acl/permission-sets/${set.id}`))).toBe('409 PERMISSION_SET_IN_USE');
    expect(said(await scene.call('DELETE', `/acl/permission-sets/${set.id}`, undefined, { token }))).toBe(
      '404 PERMISSION_SET_NOT_FOUND',
    );
    await scene.get('PUT', `/acl/folder/${folder}`, { entries: [] });
    expect((await scene.call('DELETE', `/acl/permission-sets/${set.id}`)).status).toBe(204);
    const put = async (bad: object) =>
      said(await scene.call('PUT', `/acl/folder/${folder}`, { entries: [{ principalId: memberId, ...bad }] }));
    expect(await put({ customPermissionSetId: set.id })).toBe('404 PERMISSION_SET_NOT_FOUND');
    expect(await put({})).toBe('400 VALIDATION_ERROR');
    expect(await put({ flags: ['fly'] })).toBe('400 VALIDATION_ERROR');
    expect(await put({ principalId: 'f'.repeat(24), level: 'viewer' })).toBe('400 VALIDATION_ERROR');
  });
});

describe('the rule that decides on permissions', () => {
  it('agrees with a slow model on random lists', () => {
    const random = seeded(inject('seed'));
    const pick = (most: number) => Math.floor(random() * most);
    for (let round = 0; round < 500; round += 1) {
      const chain = Array.from({ length: 1 + pick(5) }, (_, index) => `node-${index}`);
      const entries: EntryRow[] = Array.from({ length: pick(6) }, () => ({
        node_id: chain[pick(chain.length)]!,
        level: pick(2) === 0 ? (['viewer', 'editor'] as const)[pick(2)]! : null,
        flags: pick(2) === 0 ? JSON.stringify(permissionFlags.filter(() => pick(3) === 0)) : null,
        set_flags: null,
        conditions: pick(3) === 0 ? JSON.stringify({ notAfter: new Date(1_000 + pick(2)).toISOString() }) : null,
      }));
      const moment = { address: '192.0.2.1', now: 1_000 };
      expect(listOf(rightsBy(chain, grantsBy(entries), moment).flags)).toEqual(slowly(chain, entries, moment.now));
    }
  });
});
