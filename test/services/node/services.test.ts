import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { node } from '../../../src/contract/node.ts';
import { operatorId, type Actor } from '../../../src/service/actor.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import * as nodeOperations from '../../../src/services/node/operations.ts';
import { restoreStore } from '../../../src/services/node/restore.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { latestVersion } from '../../../src/platform/store/migrations.ts';
import { version } from '../../../src/base/version.ts';
import { fillBlocks } from '../../support/sample-store.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines, temporaryFolder } from '../../support/stores.ts';

const operator = async (house: House) => ({ token: await house.operatorToken(), trusted: true });

describe.each(engines)('the node on %s', (engine) => {
  it('says how it is', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    await house.register();
    house.ctx.instance.addresses.push('http://127.0.0.1:7878');
    const { status, body } = await house.perform(node.status, {}, boss.token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      version,
      nodeId: house.ctx.keys.nodeId,
      engine,
      schemaVersion: latestVersion(),
      storage: {
        perMemberBytes: 10 * 2 ** 30,
        usedBytes: 0,
        counts: [
          'attachments of own password vaults',
          'contacts',
          'documents sealed for a quorum',
          'e-mail',
          'events of own calendars',
          'files in own containers',
          'messages in conversations',
          'pictures, videos and sounds of own posts',
        ],
      },
      members: 2,
      sessions: 2,
      addresses: ['http://127.0.0.1:7878'],
      startedAt: '2026-01-15T12:00:00.000Z',
      problems: ['Rate limits are off, so anybody can try passwords without limit. Set rate_limits to on.'],
    });
    expect(body.publicKey).toMatch(/^0[23][0-9a-f]{64}$/);
    expect(body.storeBytes).toBeGreaterThan(engine === 'sqljs' ? -1 : 8_000);
    house.clock.advance(8 * 24 * 60 * 60 * 1000);
    expect((await nodeOperations.status(house.ctx, actorOf('System'), {})).sessions).toBe(0);
  });

  it('says what its store holds', async () => {
    await using house = await openHouse(engine);
    await house.register();
    await fillBlocks(house.ctx.blocks, 3);
    const { body } = await house.api('GET', '/api/admin/store', await operator(house));
    expect(body).toMatchObject({ engine, schemaVersion: latestVersion(), blocks: 3 });
    expect(body.tables).toContainEqual({ name: 'members', rows: 1 });
    expect(body.tables.map(({ name }: { name: string }) => name)).not.toContain('schema_migrations');
  });

  it('checks its store and reports damage in its log as well', { tags: 'thorough' }, async () => {
    await using house = await openHouse(engine);
    const [, id = ''] = await fillBlocks(house.ctx.blocks, 2);
    const sound = await house.api('POST', '/api/admin/store/verify', { ...(await operator(house)), body: {} });
    expect(sound.body).toMatchObject({ ok: true });
    await writeFile(join(house.ctx.config.dataDir, 'blocks', id.slice(0, 2), id.slice(2, 4), id), 'damage');
    const damaged = await house.api('POST', '/api/admin/store/verify', { ...(await operator(house)), body: {} });
    expect(damaged.status).toBe(200);
    expect(damaged.body.ok).toBe(false);
    expect(damaged.body.checks).toContainEqual({ name: 'blocks', ok: false, detail: `${id} is damaged` });
    expect(house.log.lines.some((line) => JSON.stringify(line).includes('the store is damaged'))).toBe(true);
  });

  it('writes a backup while it runs, with its secret only under a passphrase', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    const secret = new Uint8Array(32).fill(7);
    await using house = await openHouse(engine, { secret });
    await writeFile(join(house.ctx.config.dataDir, 'node.secret'), secret, { mode: 0o600 });
    await house.register();
    const [plain, sealed] = [join(folder.path, 'plain.tar'), join(folder.path, 'sealed.tar')];
    const without = await house.api('POST', '/api/admin/store/backup', {
      ...(await operator(house)),
      body: { path: plain },
    });
    expect(without.body).toMatchObject({ path: plain, withSecrets: false, damagedBlocks: [] });
    const passphrase = 'a long passphrase';
    const withSecret = await house.api('POST', '/api/admin/store/backup', {
      ...(await operator(house)),
      body: { path: sealed, passphrase },
    });
    expect(withSecret.body).toMatchObject({ withSecrets: true });
    for (const file of [plain, sealed]) expect((await readFile(file)).includes(Buffer.from(secret))).toBe(false);
    expect(JSON.stringify(house.log.lines)).not.toContain(passphrase);

    const dataDir = join(folder.path, 'restored');
    const loaded = await loadConfig({ flags: { 'data-dir': dataDir }, env: {}, home: dataDir, cwd: folder.path });
    expect(await restoreStore(loaded, { file: sealed, passphrase })).toMatchObject({
      secret: 'restored',
      nodeId: deriveNodeKeys(secret).nodeId,
      // The session of the member is not restored. One row more says from where events are counted, and one names the folder of blocks.
      rows: withSecret.body.rows + 1,
      endedSessions: 1,
    });
    expect(new Uint8Array(await readFile(join(dataDir, 'node.secret')))).toEqual(secret);
  });

  it('refuses a backup that it cannot write where it should', async () => {
    await using folder = await temporaryFolder();
    await using house = await openHouse(engine);
    const backUp = async (path: string, more: object = {}) =>
      await house.api('POST', '/api/admin/store/backup', { ...(await operator(house)), body: { path, ...more } });
    const file = join(folder.path, 'precious');
    await writeFile(file, 'precious');
    expect(await backUp(file)).toMatchObject({ status: 409, body: { error: 'BACKUP_TARGET_EXISTS' } });
    expect(await backUp('backup.tar')).toMatchObject({ status: 400 });
    expect(await backUp(join(folder.path, 'nowhere', 'backup.tar'))).toMatchObject({ status: 400 });
    expect(await backUp(join(file, 'backup.tar'))).toMatchObject({ status: 400 });
    expect(await backUp(join(folder.path, 'new.tar'), { passphrase: 'short' })).toMatchObject({ status: 400 });
    expect(await readdir(folder.path)).toEqual(['precious']);
    expect(await readFile(file, 'utf8')).toBe('precious');
  });

  it('answers administrators, and lets its operator alone touch the store', async () => {
    await using house = await openHouse(engine);
    const member = await house.register();
    const boss = await house.administrator();
    const performs = { ...nodeOperations };
    for (const name of ['status', 'storeStatus', 'verifyStore', 'backUpStore'] as const) {
      expect((await house.perform(node[name], inputOf(name))).status).toBe(name === 'backUpStore' ? 404 : 401);
      expect((await house.perform(node[name], inputOf(name), member.token, { trusted: true })).status).toBe(403);
      const answer = await house.perform(node[name], inputOf(name), boss.token, { trusted: true });
      expect(answer.status).toBe(name === 'status' ? 200 : 403);
      // The services check for themselves, whatever the routes do.
      const call = performs[name] as (ctx: House['ctx'], actor: Actor, input: object) => Promise<unknown>;
      await expect(call(house.ctx, actorOf('User'), inputOf(name))).rejects.toMatchObject({ kind: 'forbidden' });
    }
  });
});

describe.runIf(engines.includes('sqljs'))('what is wrong with a node', () => {
  it('is said in whole sentences', async () => {
    await using house = await openHouse('sqljs', { config: { trustedProxies: [] } });
    const problems = async () => (await nodeOperations.status(house.ctx, actorOf('System'), {})).problems.join('\n');
    expect(await problems()).toContain('no active administrator');
    await house.administrator();
    expect(await problems()).not.toContain('administrator');
    await chmod(house.ctx.config.dataDir, 0o755);
    await mkdir(house.ctx.config.dataDir, { recursive: true });
    await writeFile(house.ctx.config.nodeSecretFile, 'secret', { mode: 0o644 });
    expect(await problems()).toContain(
      `The data directory can be opened by other users of this machine. Run: chmod 700`,
    );
    expect(await problems()).toContain(`The file of the node secret can be opened by other users`);
    house.ctx.instance.addresses.push('http://192.0.2.1:7878');
    expect(await problems()).toContain('without encryption');
    house.ctx.instance.addresses.splice(0, 1, 'https://192.0.2.1:7878', 'http://[::1]:7878', 'http://127.0.0.2:80');
    expect(await problems()).not.toContain('without encryption');
    house.clock.advance(-24 * 60 * 60 * 1000);
    expect(await problems()).toContain('a member was registered on 2026-01-15');
    house.clock.advance(-20_000 * 24 * 60 * 60 * 1000);
    expect(await problems()).toContain('The clock of this machine is wrong');
  });
});

function inputOf(name: keyof typeof node) {
  return (name === 'backUpStore' ? { path: '/nowhere/backup.tar' } : {}) as never;
}

function actorOf(type: Actor['type']): Actor {
  return {
    kind: 'member',
    type,
    memberId: operatorId,
    username: 'somebody',
    sessionId: '',
    jtiHash: '',
    jti: () => new Uint8Array(32),
    address: 'local',
    userAgent: '',
  };
}
