import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { openScene, said, sha256, type Scene } from './scene.ts';
import { eventually } from '../../support/eventually.ts';

const MEBIBYTE = 1024 ** 2;
const CHUNK = 8 * MEBIBYTE;

/** The bytes that the quotas count, and those of the rows that they are about. */
async function sums({ house, containerId }: Scene) {
  const { db } = house.ctx;
  const { used, reserved } = await db
    .selectFrom('file_containers')
    .select(['used', 'reserved'])
    .where('id', '=', containerId)
    .executeTakeFirstOrThrow();
  const stored = (await db.selectFrom('member_storage').select('bytes').executeTakeFirst())?.bytes ?? 0;
  const contents = await db.selectFrom('file_contents').select(['size', 'manifest']).execute();
  const sum = (all: typeof contents) => all.reduce((total, { size }) => total + size, 0);
  return {
    counted: { used, reserved, stored },
    right: {
      used: sum(contents.filter(({ manifest }) => manifest !== null)),
      reserved: sum(contents.filter(({ manifest }) => manifest === null)),
      stored: sum(contents),
    },
  };
}

describe.each(engines)('uploads under stress on %s', (engine) => {
  it('takes chunks in any order, many at once, and some of them twice at once', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const count = 16;
    const content = randomBytes((count - 1) * CHUNK + 777);
    const { sessionId } = (await scene.begin(content.length)).body;
    const order = Array.from({ length: count }, (_, index) => (index * 7 + 3) % count);
    const twice = [...order, order[0]!, order[1]!];
    const answers = await Promise.all(
      twice.map(
        async (index) => await scene.chunk(sessionId, index, content.subarray(index * CHUNK, (index + 1) * CHUNK)),
      ),
    );
    expect(answers.map(said)).toEqual(twice.map(() => '200 success'));
    const [one, other] = await Promise.all(
      [1, 2].map(async () => await scene.get('POST', `/upload/${sessionId}/finalize`, {})),
    );
    expect(one).toEqual(other);
    expect(sha256((await scene.read(one.fileId)).bytes)).toBe(sha256(content));
    const { db, blocks } = scene.house.ctx;
    const rows = await db.selectFrom('file_blocks').select('block_id').execute();
    // The last one is small, and lies in the database.
    expect([rows.length, (await blocks.stat()).blocks]).toEqual([count, count - 1]);
    expect(await db.selectFrom('file_nodes').select('id').where('kind', '=', 1).execute()).toHaveLength(1);
    const { counted, right } = await sums(scene);
    expect(counted).toEqual(right);
  });

  it('gives the same chunk that comes twice at once one of the two, whole', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const size = 300_000;
    for (let round = 0; round < 20; round += 1) {
      const { sessionId } = (await scene.begin(size)).body;
      const bodies = [randomBytes(size), randomBytes(size), randomBytes(size)];
      const answers = await Promise.all(bodies.map(async (body) => await scene.chunk(sessionId, 0, body)));
      expect(answers.map(({ status, body }) => [status, body.chunksReceived])).toEqual(bodies.map(() => [200, 1]));
      const { fileId } = await scene.get('POST', `/upload/${sessionId}/finalize`, {});
      expect(bodies.map(sha256)).toContain(sha256((await scene.read(fileId)).bytes));
    }
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(20);
  });

  it(
    'begins exactly what fits into the quotas of container and member together, of twenty at once',
    { tags: 'soak' },
    async () => {
      await using scene = await openScene(engine, { config: { storage: { perMemberBytes: 5_400 } } });
      await scene.get('PATCH', `/vaults/${scene.containerId}`, { quotaBytes: 3_300 });
      const second = await scene.get('POST', '/vaults', { name: 'Second' });
      const targets = [{}, { container: second.id as string, folder: second.rootFolderId as string }];
      const begun = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => await scene.begin(1_000, targets[index % 2])),
      );
      const all = begun.map((answer, index) => `${index % 2} ${said(answer)}`);
      const count = (what: string) => all.filter((one) => one.includes(what)).length;
      // Three fit into the first container, and five into what the member has.
      expect(count('201 success')).toBe(5);
      expect(count('0 201 success')).toBeLessThanOrEqual(3);
      expect(count('413 ')).toBe(15);
      expect(count('1 413 STORAGE_QUOTA_EXCEEDED')).toBe(10 - count('1 201 success'));
      const { counted, right } = await sums(scene);
      expect(counted.stored).toBe(5_000);
      expect(counted.stored).toBe(right.stored);
      expect(counted.reserved).toBe(count('0 201 success') * 1_000);
      const { sessionId } = begun.find(({ status }) => status === 201)!.body;
      await scene.get('DELETE', `/upload/${sessionId}`);
      const again = await Promise.all([1, 2].map(async () => said(await scene.begin(1_000, targets[1]))));
      expect(again.toSorted()).toEqual(['201 success', '413 STORAGE_QUOTA_EXCEEDED']);
    },
  );

  it('takes no chunk after the end, of any kind of end', { tags: 'soak' }, async () => {
    await using scene = await openScene(engine);
    const bytes = Buffer.alloc(10, 1);
    const [done, gone] = [(await scene.begin(10)).body.sessionId, (await scene.begin(10)).body.sessionId];
    await scene.chunk(done, 0, bytes);
    const { fileId } = await scene.get('POST', `/upload/${done}/finalize`, {});
    expect(said(await scene.chunk(done, 0, Buffer.alloc(10, 2)))).toBe('409 UPLOAD_FINALIZED');
    expect(said(await scene.call('DELETE', `/upload/${done}`))).toBe('409 UPLOAD_FINALIZED');
    await scene.get('DELETE', `/upload/${gone}`);
    expect(said(await scene.chunk(gone, 0, bytes))).toBe('404 UPLOAD_NOT_FOUND');
    expect((await scene.read(fileId)).bytes).toEqual(bytes);
  });

  it('is gone by the clock for a chunk that began before, and leaves no block', async () => {
    await using scene = await openScene(engine);
    const bytes = randomBytes(100_000);
    const { sessionId } = (await scene.begin(bytes.length)).body;
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 50_000);
      scene.house.clock.advance(24 * 3_600_000);
      yield bytes.subarray(50_000);
    }
    const request = new Request(`http://house.test/filevault/upload/${sessionId}/chunk/0`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.owner.token}`, 'content-type': 'application/octet-stream' },
      body: ReadableStream.from(slowly()),
      duplex: 'half',
    });
    const answer = await scene.house.fetch(request);
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, 'UPLOAD_NOT_FOUND']);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(0);
  });
});

interface Asked {
  readonly port: number;
  readonly token: string;
}

async function opened(node: RunningNode) {
  const port = Number(new URL(node.ready.url).port);
  const ask = async (method: string, path: string, token: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await node.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
    return (await answer.json()) as any;
  };
  const account = { username: 'ann', email: 'ann@example.org', password: 'seven green bottles' };
  const { token } = (await ask('POST', '/api/user/register', '', account)).data as { token: string };
  const vault = await ask('POST', '/filevault/vaults', token, { name: 'Home' });
  const begin = async (size: number, fileName = 'a file') =>
    (
      await ask('POST', '/filevault/upload/init', token, {
        fileName,
        mimeType: 'application/octet-stream',
        totalSizeBytes: size,
        targetFolderId: vault.rootFolderId,
        vaultContainerId: vault.id,
      })
    ).sessionId as string;
  return { port, token, ask, begin };
}

/** The first lines of the request for a chunk, with what is said of its body. */
function head({ token }: Asked, sessionId: string, lines: string): string {
  return [
    `PUT /filevault/upload/${sessionId}/chunk/0 HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: application/octet-stream',
    lines,
    '\r\n',
  ].join('\r\n');
}

/** Opens a connection. @returns it, and what comes back until it has a whole answer or is closed */
function wire({ port }: Asked): { socket: Socket; answered: Promise<string> } {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (piece) => {
      text += piece.toString();
      if (/\r\n\r\n[^]*\}$/.test(text)) resolve(text);
    });
    socket.on('close', () => resolve(text)).on('error', () => undefined);
  });
  return { socket, answered };
}

async function requestsUnderWay(node: RunningNode): Promise<number> {
  const text = await (await node.control(new Request('http://localhost/metrics'))).text();
  return Number(/^conclave_connections (\d+)$/m.exec(text)?.[1]);
}

const outcome = (answer: string): string =>
  `${/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'closed'} ${/"error":"(\w+)"/.exec(answer)?.[1] ?? ''}`.trim();

describe('chunks over a connection', () => {
  it(
    'a body that stalls is in nobody’s way: its retry goes through, and the upload is finished',
    { tags: 'soak' },
    async () => {
      await using node = await startNode({});
      const asked = await opened(node);
      const content = randomBytes(MEBIBYTE);
      const sessionId = await asked.begin(content.length);
      const length = `content-length: ${content.length}`;
      const stalled = wire(asked);
      stalled.socket.write(head(asked, sessionId, length));
      stalled.socket.write(content.subarray(0, 500_000));
      // Its head and a part of its body are there.
      await eventually(async () => expect(await requestsUnderWay(node)).toBe(1));
      const retry = wire(asked);
      retry.socket.write(head(asked, sessionId, length));
      retry.socket.write(content);
      expect(outcome(await retry.answered)).toBe('200');
      const { fileId } = await asked.ask('POST', `/filevault/upload/${sessionId}/finalize`, asked.token, {});
      stalled.socket.write(content.subarray(500_000));
      expect(outcome(await stalled.answered)).toBe('409 UPLOAD_FINALIZED');
      const read = await node.fetch(`/filevault/files/${fileId}`, {
        headers: { authorization: `Bearer ${asked.token}` },
      });
      expect(sha256(new Uint8Array(await read.arrayBuffer()))).toBe(sha256(content));
      expect((await node.engine.context.blocks.stat()).blocks).toBe(1);
      for (const { socket } of [stalled, retry]) socket.destroy();
    },
  );

  it('a body that breaks off leaves nothing, and its retry goes through at once', { tags: 'soak' }, async () => {
    await using node = await startNode({});
    const asked = await opened(node);
    const content = randomBytes(MEBIBYTE);
    const sessionId = await asked.begin(content.length);
    for (let round = 0; round < inStage(3, 3, 30); round += 1) {
      const broken = wire(asked);
      broken.socket.write(head(asked, sessionId, `content-length: ${content.length}`));
      broken.socket.write(content.subarray(0, 30_000 * round));
      setTimeout(() => broken.socket.destroy(), round);
      await broken.answered;
    }
    const retry = wire(asked);
    retry.socket.write(head(asked, sessionId, `content-length: ${content.length}`));
    retry.socket.write(content);
    expect(outcome(await retry.answered)).toBe('200');
    retry.socket.destroy();
    await asked.ask('POST', `/filevault/upload/${sessionId}/finalize`, asked.token, {});
    await expect.poll(async () => (await node.engine.context.blocks.stat()).blocks).toBe(1);
  });

  it('takes a body without a length if it has the right one, and refuses lying lengths and checksums', async () => {
    await using node = await startNode({});
    const asked = await opened(node);
    const content = randomBytes(100_000);
    const sessionId = await asked.begin(content.length);
    const send = async (lines: string, ...pieces: Uint8Array[]): Promise<string> => {
      const { socket, answered } = wire(asked);
      socket.write(head(asked, sessionId, lines));
      for (const piece of pieces) socket.write(piece);
      const answer = await answered;
      socket.destroy();
      return outcome(answer);
    };
    const chunked = (...pieces: Uint8Array[]) =>
      Buffer.concat([
        ...pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
        Buffer.from('0\r\n\r\n'),
      ]);
    const encoding = 'transfer-encoding: chunked';
    const wrong = createHash('sha256').update('another').digest('hex');
    const cases = [
      [encoding, chunked(content.subarray(0, 99_999)), '400 CHUNK_SIZE_WRONG'],
      [encoding, chunked(content, Buffer.alloc(1)), '400 CHUNK_SIZE_WRONG'],
      [encoding, chunked(content, randomBytes(4 * MEBIBYTE)), '400 CHUNK_SIZE_WRONG'],
      [`content-length: ${content.length - 1}`, content.subarray(1), '400 CHUNK_SIZE_WRONG'],
      // Refused by what it says alone: no byte of it was sent.
      ['content-length: 100001', new Uint8Array(0), '400 CHUNK_SIZE_WRONG'],
      ['content-length: 900000000000', new Uint8Array(0), '413 PAYLOAD_TOO_LARGE'],
      ['content-length: -5', content, '400'],
      [`content-length: 100000\r\n${encoding}`, content, '400'],
      [`x-chunk-checksum: ${wrong}\r\ncontent-length: 100000`, content, '400 CHECKSUM_MISMATCH'],
      [`x-chunk-checksum: crc32:1\r\ncontent-length: 100000`, content, '400 VALIDATION_ERROR'],
      [
        `content-digest: sha-256=:${Buffer.alloc(32).toString('base64')}:\r\ncontent-length: 100000`,
        content,
        '400 DIGEST_MISMATCH',
      ],
      [encoding, chunked(content.subarray(0, 5), content.subarray(5)), '200'],
    ] as const;
    for (const [lines, body, wanted] of cases) expect([lines, await send(lines, body)]).toEqual([lines, wanted]);
    const { fileId } = await asked.ask('POST', `/filevault/upload/${sessionId}/finalize`, asked.token, {});
    expect(typeof fileId).toBe('string');
    expect((await node.engine.context.blocks.stat()).blocks).toBe(1);
  });

  it('asks for the limits of the sender before it reads a byte of the body', async () => {
    await using node = await startNode({ env: { CONCLAVE_LIMITS_FILE_STORING_PER_ACCOUNT: '2/1h' } });
    const asked = await opened(node);
    const sessionId = await asked.begin(100_000);
    const first = wire(asked);
    first.socket.write(head(asked, sessionId, 'content-length: 100000') + 'x'.repeat(100_000));
    expect(outcome(await first.answered)).toBe('200');
    first.socket.destroy();
    const second = wire(asked);
    // The answer comes although nothing of the body was sent.
    second.socket.write(head(asked, sessionId, 'content-length: 100000'));
    expect(outcome(await second.answered)).toBe('429 RATE_LIMITED');
    second.socket.destroy();
  });
});
