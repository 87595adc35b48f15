import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { purgeFiles } from '../../../src/services/filevault/keeping/purge.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';
import { elapses } from '../../support/real-time.ts';

const VIRUS = 'this is a virus';

/** A scanner as an operator would write it: it refuses what has a word in it, and counts its calls in a file. */
const program = `
const { appendFileSync } = require('node:fs');
const [log, mode] = process.argv.slice(1);
appendFileSync(log, JSON.stringify(Object.keys(process.env)) + '\\n');
const pieces = [];
process.stdin.on('data', (piece) => pieces.push(piece));
process.stdin.on('end', () => {
  const all = Buffer.concat(pieces);
  if (mode === 'hang') return setInterval(() => {}, 1000);
  if (mode === 'break' || all.includes('break the scanner')) process.exit(3);
  if (!all.includes('virus')) process.exit(0);
  process.stdout.write('Test.Virus\\u001b[31m of ' + all.length + ' bytes\\nmore', () => process.exit(1));
});`;

interface Scanned extends AsyncDisposable {
  readonly scene: Scene;
  /** how often it was asked */
  calls(): Promise<number>;
}

async function openScanned(engine: EngineName, mode = 'scan', more: object = {}): Promise<Scanned> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-scan-'));
  const log = join(folder, 'calls');
  await writeFile(log, '');
  const scene = await openScene(engine);
  // The configuration of the house is its own object.
  Object.assign(scene.house.ctx.config.files, {
    scanCommand: [process.execPath, '-e', program, log, mode],
    ...more,
  });
  return {
    scene,
    calls: async () => (await readFile(log, 'utf8')).split('\n').length - 1,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** Uploads without finishing. */
async function sent(scene: Scene, content: string, options: object = {}): Promise<string> {
  const { sessionId } = (await scene.begin(content.length, options)).body;
  await scene.chunk(sessionId, 0, Buffer.from(content));
  return sessionId as string;
}

const finalize = async (scene: Scene, sessionId: string) =>
  await scene.call('POST', `/upload/${sessionId}/finalize`, {});

async function countsOf({ house: { ctx } }: Scene) {
  const { used, reserved } = await ctx.db
    .selectFrom('file_containers')
    .select(['used', 'reserved'])
    .executeTakeFirstOrThrow();
  return [used, reserved, (await ctx.db.selectFrom('member_storage').select('bytes').executeTakeFirstOrThrow()).bytes];
}

/** What is said of an upload when asked for it, and in the list. */
async function statuses(scene: Scene, sessionId: string): Promise<string[]> {
  const { status } = await scene.get('GET', `/upload/${sessionId}/status`);
  const { uploads } = await scene.get('GET', '/upload');
  const listed = uploads.find((upload: { sessionId: string }) => upload.sessionId === sessionId);
  return [status, listed?.status ?? 'gone'];
}

describe.each(engines)('the scanner on %s', (engine) => {
  it('is asked before a file appears; what it refuses is in quarantine, and a repeat gets the same answer', async () => {
    await using scanned = await openScanned(engine);
    const { scene, calls } = scanned;
    const { ctx } = scene.house;
    const good = await scene.file('nothing bad');
    expect((await scene.read(good)).bytes.toString()).toBe('nothing bad');
    const sessionId = await sent(scene, VIRUS, { name: 'bad.txt' });
    const [one, other] = await Promise.all([finalize(scene, sessionId), finalize(scene, sessionId)]);
    const message =
      'The scanner of the node refused the file. It found: Test.Virus?[31m of 15 bytes. It is in quarantine. The operator of the node can release it.';
    for (const answer of [one, other, await finalize(scene, sessionId)])
      expect([said(answer), answer.body.message]).toEqual(['409 FILE_QUARANTINED', message]);
    expect(await calls()).toBeLessThanOrEqual(3);
    const { files } = await scene.get('GET', `/folders/${scene.rootId}`);
    expect(files.map(({ id }: { id: string }) => id)).toEqual([good]);
    expect((await scene.get('GET', '/upload')).uploads).toEqual([]);
    expect(said(await scene.chunk(sessionId, 0, Buffer.from(VIRUS)))).toBe('404 UPLOAD_NOT_FOUND');
    expect(await countsOf(scene)).toEqual([11, 15, 26]);
    const { items } = await scene.get('GET', '/quarantine');
    expect(items).toEqual([
      {
        id: sessionId,
        vaultContainerId: scene.containerId,
        fileName: 'bad.txt',
        sizeBytes: 15,
        found: 'Test.Virus?[31m of 15 bytes',
        uploadedBy: scene.owner.memberId,
        refusedAt: new Date(scene.house.clock.now()).toISOString(),
      },
    ]);
    const events = await ctx.db
      .selectFrom('file_audit')
      .select('action')
      .where('action', 'like', '%QUARANT%')
      .execute();
    expect(events).toEqual([{ action: 'FILE_QUARANTINED' }]);
    expect(scene.house.log.lines.filter(({ message: text }) => text === 'the scanner refused a file')).toHaveLength(1);
    // Sealed: nobody reads it, and neither expiry nor a check touches it.
    scene.house.clock.advance(8 * 86_400_000);
    const token = await scene.house.signIn(scene.owner);
    await purgeFiles(ctx);
    expect((await scene.get('GET', '/quarantine', undefined, { token })).items).toHaveLength(1);
    const check = await scene.get('POST', `/vaults/${scene.containerId}/check`, { level: 'full' }, { token });
    expect(check.faults).toEqual([]);
  });

  it('gets nothing of the environment, and each content once', async () => {
    await using scanned = await openScanned(engine);
    const { scene, calls } = scanned;
    await scene.file('x', { name: 'taken.txt' });
    const sessionId = await sent(scene, 'clean', { name: 'other.txt' });
    await scene.house.ctx.db
      .updateTable('file_uploads')
      .set({ name: 'taken.txt' })
      .where('id', '=', sessionId)
      .execute();
    for (let index = 0; index < 3; index += 1) expect(said(await finalize(scene, sessionId))).toBe('409 NAME_TAKEN');
    expect(await calls()).toBe(2);
    // A chunk that is sent again is another content.
    await scene.chunk(sessionId, 0, Buffer.from('virus'));
    expect(said(await finalize(scene, sessionId))).toBe('409 FILE_QUARANTINED');
    expect(await calls()).toBe(3);
    const [, , log] = scene.house.ctx.config.files.scanCommand!.slice(1);
    const names = new Set(
      (await readFile(log!, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line))),
    );
    expect([...names]).toEqual(['PATH']);
  });

  it('is the owner’s to destroy and the operator’s to release', async () => {
    await using scanned = await openScanned(engine);
    const { scene, calls } = scanned;
    const { ctx } = scene.house;
    const editor = await scene.house.register();
    const stranger = await scene.house.register();
    await scene.grant('folder', scene.rootId, { principalId: editor.memberId, level: 'editor' });
    const { sessionId } = (await scene.begin(VIRUS.length, { token: editor.token, name: 'bad.txt' })).body;
    await scene.chunk(sessionId, 0, Buffer.from(VIRUS), { token: editor.token });
    const finish = async () => await scene.call('POST', `/upload/${sessionId}/finalize`, {}, { token: editor.token });
    expect(said(await finish())).toBe('409 FILE_QUARANTINED');
    for (const { token } of [editor, stranger]) {
      expect((await scene.get('GET', '/quarantine', undefined, { token })).items).toEqual([]);
      expect(said(await scene.call('DELETE', `/quarantine/${sessionId}`, undefined, { token }))).toBe(
        '404 UPLOAD_NOT_FOUND',
      );
    }
    const release = async (token: string, trusted: boolean) =>
      await scene.house.api('POST', `/api/admin/files/quarantine/${sessionId}/release`, { token, trusted, body: {} });
    const administrator = await scene.house.administrator();
    for (const { token } of [scene.owner, administrator])
      expect(said(await release(token, true))).toBe('403 FORBIDDEN');
    const operator = await scene.house.operatorToken();
    const all = await scene.house.api('GET', '/filevault/quarantine', { token: operator, trusted: true });
    expect(all.body.items).toHaveLength(1);
    const released = await release(operator, true);
    expect(released.body).toMatchObject({ id: sessionId, released: true });
    const before = await calls();
    expect((await finish()).status).toBe(200);
    expect(await calls()).toBe(before);
    expect(await countsOf(scene)).toEqual([15, 0, 15]);
    const [decided] = await ctx.db
      .selectFrom('file_audit')
      .select('action')
      .where('action', 'like', 'QUARANTINE%')
      .execute();
    expect(decided?.action).toBe('QUARANTINE_RELEASED');

    const second = await sent(scene, VIRUS);
    expect(said(await finalize(scene, second))).toBe('409 FILE_QUARANTINED');
    const { slot } = await ctx.db
      .selectFrom('file_contents as c')
      .innerJoin('file_quarantine as q', 'q.content_id', 'c.id')
      .select('c.slot')
      .executeTakeFirstOrThrow();
    expect(said(await scene.call('DELETE', `/quarantine/${second}`))).toBe('204 success');
    expect(await countsOf(scene)).toEqual([15, 0, 15]);
    expect(await ctx.erasure.keyOf(slot)).toBeUndefined();
    expect(said(await finalize(scene, second))).toBe('404 UPLOAD_NOT_FOUND');
  });

  it(
    'leaves nothing behind when the file or the container of what it refused is destroyed',
    { tags: 'soak' },
    async () => {
      await using scanned = await openScanned(engine);
      const { scene } = scanned;
      const id = await scene.file('first');
      const version = await sent(scene, VIRUS, { replaces: id });
      expect(said(await finalize(scene, version))).toBe('409 FILE_QUARANTINED');
      expect((await scene.read(id)).bytes.toString()).toBe('first');
      await scene.get('POST', `/destroy/${id}`, {});
      expect(await countsOf(scene)).toEqual([0, 0, 0]);
      const fresh = await sent(scene, VIRUS);
      expect(said(await finalize(scene, fresh))).toBe('409 FILE_QUARANTINED');
      await scene.get('POST', `/vaults/${scene.containerId}/destroy`, {});
      expect(await countsOf(scene)).toEqual([0, 0, 0]);
      expect(await scene.house.ctx.db.selectFrom('file_contents').selectAll().execute()).toEqual([]);
    },
  );

  it(
    'that fails or takes too long keeps the upload, and accepts the file only where the operator says so',
    { tags: 'thorough' },
    async () => {
      for (const mode of ['break', 'hang', 'missing']) {
        const more = {
          scanTimeoutMs: mode === 'hang' ? elapses(700) : 60_000,
          ...(mode === 'missing' && { scanCommand: ['/nowhere/scanner'] }),
        };
        await using scanned = await openScanned(engine, mode, more);
        const { scene } = scanned;
        const sessionId = await sent(scene, 'nothing bad');
        const answer = await finalize(scene, sessionId);
        expect([said(answer), answer.headers.get('retry-after')], mode).toEqual(['503 SCAN_UNAVAILABLE', '60']);
        expect((await scene.get('GET', `/upload/${sessionId}/status`)).status).toBe('in_progress');
        Object.assign(scene.house.ctx.config.files, { scanFailure: 'accept' });
        expect(said(await finalize(scene, sessionId)), mode).toBe('200 success');
      }
    },
  );

  it('may be a service, which gets the bytes and answers with JSON', async () => {
    const received: number[] = [];
    let reply: (body: string) => [number, string] = () => [200, '{}'];
    const server = createServer((request, response) => {
      const pieces: Uint8Array[] = [];
      request.on('data', (piece: Uint8Array) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces).toString('latin1');
        received.push(body.length);
        const [status, text] = reply(body);
        response
          .writeHead(status, { 'content-type': 'application/json', location: 'http://elsewhere.test/' })
          .end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const scanUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/scan`;
      await using scanned = await openScanned(engine, 'scan', { scanUrl, scanCommand: undefined });
      const { scene } = scanned;
      reply = (body) => [200, JSON.stringify({ clean: !body.includes('virus'), name: 'Found' })];
      await scene.file(Buffer.alloc(300_000, 1));
      expect(received).toEqual([300_000]);
      const bad = await sent(scene, VIRUS);
      expect((await finalize(scene, bad)).body).toMatchObject({ error: 'FILE_QUARANTINED' });
      for (const wrong of [
        [500, '{"clean":true}'],
        [302, '{"clean":true}'],
        [200, 'yes'],
        [200, '{"clean":"yes"}'],
        [200, '[]'],
        [200, 'null'],
      ] as const) {
        reply = () => [...wrong];
        const sessionId = await sent(scene, 'nothing bad');
        expect(said(await finalize(scene, sessionId)), String(wrong)).toBe('503 SCAN_UNAVAILABLE');
      }
    } finally {
      server.close();
    }
  });

  it('scans at most so many files at once, and never reads a damaged one as clean', { tags: 'soak' }, async () => {
    await using scanned = await openScanned(engine, 'scan', { scanAtOnce: 1 });
    const { scene, calls } = scanned;
    const sessions: string[] = [];
    for (let index = 0; index < 4; index += 1) sessions.push(await sent(scene, `file ${index}`));
    const answers = await Promise.all(sessions.map(async (id) => await finalize(scene, id)));
    expect(answers.map(said)).toEqual(answers.map(() => '200 success'));
    expect(await calls()).toBe(4);
    const sessionId = await sent(scene, 'damaged later');
    expect(await statuses(scene, sessionId)).toEqual(['in_progress', 'in_progress']);
    await scene.house.ctx.db
      .updateTable('file_blocks')
      .set({ sealed: Buffer.alloc(85, 1) })
      .where('content_id', '=', (e) => e.selectFrom('file_uploads').select('content_id').where('id', '=', sessionId))
      .execute();
    expect(said(await finalize(scene, sessionId))).toBe('500 FILE_DAMAGED');
  });

  it('says of an upload that it is finalizing while it is scanned', async () => {
    const held = new EventEmitter();
    const released = once(held, 'release');
    const server = createServer((request, response) => {
      void Promise.all([buffer(request), released]).then(([body]) =>
        response
          .writeHead(body.includes('break') ? 500 : 200, { 'content-type': 'application/json' })
          .end('{"clean":true}'),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const scanUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/scan`;
      await using scanned = await openScanned(engine, 'scan', { scanUrl, scanCommand: undefined });
      const { scene } = scanned;
      const [good, bad] = [await sent(scene, 'good'), await sent(scene, 'break the scanner')];
      const finishing = [good, bad].map(async (id) => await finalize(scene, id));
      for (const id of [good, bad])
        await expect.poll(async () => await statuses(scene, id)).toEqual(['finalizing', 'finalizing']);
      held.emit('release');
      expect((await Promise.all(finishing)).map(said)).toEqual(['200 success', '503 SCAN_UNAVAILABLE']);
      expect([await statuses(scene, good), await statuses(scene, bad)]).toEqual([
        ['finalized', 'gone'],
        ['in_progress', 'in_progress'],
      ]);
    } finally {
      server.close();
    }
  });
});
