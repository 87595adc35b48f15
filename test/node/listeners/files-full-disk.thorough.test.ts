import { randomBytes } from 'node:crypto';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { secretsOf, storePrepared } from '../../support/prepared-member.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';
import { createPostgresDatabase, engines } from '../../support/stores.ts';

const mountable = await canMount();
const MEBIBYTE = 1024 ** 2;
const CHUNK = 8 * MEBIBYTE;

/** Takes all that is left of a disk, in large and then in small pieces. */
async function fillUp(path: string): Promise<void> {
  for (const size of [MEBIBYTE, 4096])
    await expect(
      (async () => {
        for (;;) await appendFile(path, new Uint8Array(size));
      })(),
    ).rejects.toMatchObject({ code: 'ENOSPC' });
}

async function openVault(node: RunningNode) {
  const account = { username: 'ann', email: 'ann@example.org', ...secretsOf(0) };
  const { token } = await storePrepared(node.engine.context, account, { type: 'User' });
  const authorization = `Bearer ${token}`;
  const call = async (method: string, path: string, body?: object) => {
    const isRaw = body instanceof Uint8Array;
    const answer = await node.fetch(`/filevault${path}`, {
      method,
      headers: { authorization, 'content-type': isRaw ? 'application/octet-stream' : 'application/json' },
      ...(body !== undefined && { body: isRaw ? Uint8Array.from(body) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const read = async (id: string) => {
    const answer = await node.fetch(`/filevault/files/${id}`, { headers: { authorization } });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const vault = (await call('POST', '/vaults', { name: 'Home' })).body;
  const begin = async (fileName: string, totalSizeBytes: number) =>
    await call('POST', '/upload/init', {
      fileName,
      mimeType: 'application/octet-stream',
      totalSizeBytes,
      targetFolderId: vault.rootFolderId,
      vaultContainerId: vault.id,
    });
  const store = async (name: string, content: Buffer): Promise<string> => {
    const { sessionId } = (await begin(name, content.length)).body;
    await call('PUT', `/upload/${sessionId}/chunk/0`, content);
    return (await call('POST', `/upload/${sessionId}/finalize`, {})).body.fileId as string;
  };
  return { call, read, begin, store };
}

describe.runIf(mountable)('check 24, files on a disk that is full', { tags: 'needs-mount' }, () => {
  it.each(engines)('answers 507 to a chunk, keeps the session, and goes on when there is room: %s', async (engine) => {
    await using disk = await mountSmallDisk('128m');
    if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
    await using database = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
    const env = { CONCLAVE_RATE_LIMITS: 'off', ...(database && { CONCLAVE_DATABASE: database.url }) };
    await using node = await startNode({ dataDir: join(disk.path, 'data'), env });
    const vault = await openVault(node);
    const content = randomBytes(2 * CHUNK + 12_345);
    const part = (index: number) => content.subarray(index * CHUNK, (index + 1) * CHUNK);
    const tooLarge = await vault.begin('too large', 120 * MEBIBYTE);
    expect([tooLarge.status, tooLarge.body.error]).toEqual([507, 'INSUFFICIENT_STORAGE']);
    const { sessionId } = (await vault.begin('film', content.length)).body;
    expect((await vault.call('PUT', `/upload/${sessionId}/chunk/0`, part(0))).status).toBe(200);
    const ballast = join(disk.path, 'ballast');
    await fillUp(ballast);
    const refused = await vault.call('PUT', `/upload/${sessionId}/chunk/1`, part(1));
    expect([refused.status, refused.body.error]).toEqual([507, 'INSUFFICIENT_STORAGE']);
    const { body: status } = await vault.call('GET', `/upload/${sessionId}/status`);
    expect(status).toMatchObject({ status: 'in_progress', missing: '1-2' });
    await rm(ballast);
    for (const index of [1, 2])
      expect((await vault.call('PUT', `/upload/${sessionId}/chunk/${index}`, part(index))).status).toBe(200);
    const { body: done } = await vault.call('POST', `/upload/${sessionId}/finalize`, {});
    expect((await vault.read(done.fileId)).bytes.equals(content)).toBe(true);
    expect((await node.engine.context.blocks.stat()).blocks).toBe(2);
    expect(node.log.lines.filter(({ message }) => message === 'unexpected error')).toEqual([]);
  });

  it('loses nothing when the disk is full while an upload is finished and a file destroyed', async () => {
    await using disk = await mountSmallDisk('128m');
    if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
    const options = { dataDir: join(disk.path, 'data'), env: { CONCLAVE_RATE_LIMITS: 'off' } };
    const kept = randomBytes(MEBIBYTE);
    const late = randomBytes(100_000);
    await using node = await startNode(options);
    const vault = await openVault(node);
    const keptId = await vault.store('kept', kept);
    const doomedId = await vault.store('doomed', randomBytes(50_000));
    const { sessionId } = (await vault.begin('late', late.length)).body;
    expect((await vault.call('PUT', `/upload/${sessionId}/chunk/0`, late)).status).toBe(200);
    const ballast = join(disk.path, 'ballast');
    await fillUp(ballast);
    const end = await vault.call('POST', `/upload/${sessionId}/finalize`, {});
    // There may be room left in the files of the store. Then it is done, and else it is refused.
    expect([200, 503, 507]).toContain(end.status);
    const destroyed = await vault.call('POST', `/destroy/${doomedId}`);
    expect([200, 503, 507]).toContain(destroyed.status);
    await rm(ballast);
    const { status, body } = await vault.call('POST', `/upload/${sessionId}/finalize`, {});
    expect(status).toBe(200);
    if (end.status === 200) expect(body.fileId).toBe(end.body.fileId);
    expect((await vault.read(body.fileId)).bytes.equals(late)).toBe(true);
    expect((await vault.read(keptId)).bytes.equals(kept)).toBe(true);
    expect((await vault.call('POST', `/destroy/${doomedId}`)).body).toMatchObject({ destroyed: true });
    expect((await vault.read(doomedId)).status).toBe(410);
  });
});
