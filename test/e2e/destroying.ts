import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { verifyFileProof } from '../../src/crypto/formats/file-proofs/verify.ts';
import { writeFileProof } from '../../src/crypto/formats/file-proofs/format.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import type { Place, QuorumServer } from './quorum-server.ts';
import { slowly } from '../support/real-time.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
export type Json = any;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** A request below /filevault. */
export async function ask(
  server: Pick<QuorumServer, 'fetch'>,
  { token }: HouseMember,
  method: string,
  path: string,
  body?: object | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const raw = body instanceof Uint8Array;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': raw ? 'application/octet-stream' : 'application/json' }),
  };
  const sent = body === undefined ? null : raw ? body : JSON.stringify(body);
  for (let left = 300; ; left -= 1) {
    const request = new Request(`http://localhost/filevault${path}`, { method, headers, body: sent });
    const answer = await server.fetch(request);
    const text = await answer.text();
    // A busy node says so, and asks to try again: its ledger places entries after their transactions.
    if (answer.status === 503 && left > 0) {
      await slowly(100);
      continue;
    }
    // The bytes of a file may begin like JSON.
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return { status: answer.status, body: isJson ? JSON.parse(text) : text };
  }
}

/** What a killed server left, on a node of this process some minutes later: then the jobs that it had claimed are anybody's. */
export async function laterNode(
  place: Place,
): Promise<Pick<QuorumServer, 'fetch'> & AsyncDisposable & Pick<RunningNode, 'engine'>> {
  const node = await startNode({ ...place, clock: { now: () => Date.now() + 300_000 } });
  return {
    engine: node.engine,
    fetch: async ({ url, method, headers, body }) =>
      await node.fetch(new URL(url).pathname, {
        method,
        headers,
        ...(body !== null && { body: await new Response(body).text() }),
      }),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

/** The id of a new file. */
export async function store(
  server: Pick<QuorumServer, 'fetch'>,
  owner: HouseMember,
  at: { id: string; rootFolderId: string },
  name: string,
) {
  const bytes = Uint8Array.from(randomBytes(name.endsWith('0') ? 300_000 : 100));
  const begun = await ask(server, owner, 'POST', '/upload/init', {
    fileName: name,
    mimeType: 'application/octet-stream',
    totalSizeBytes: bytes.length,
    targetFolderId: at.rootFolderId,
    vaultContainerId: at.id,
  });
  await ask(server, owner, 'PUT', `/upload/${begun.body.sessionId}/chunk/0`, bytes);
  const { body } = await ask(server, owner, 'POST', `/upload/${begun.body.sessionId}/finalize`, {});
  return body.fileId as string;
}

/** The proof is valid for anybody, and nothing of the file is left. */
export async function assertDestroyed(
  server: Pick<QuorumServer, 'fetch'>,
  owner: HouseMember,
  id: string,
  { proof, certificate }: Json,
) {
  const text = writeFileProof({ kind: 'destruction', proof, certificate });
  expect([id, (await verifyFileProof(text)).verdict]).toEqual([id, 'valid']);
  const checked = await ask(server, owner, 'POST', `/destroy/${id}/verify`, { proof });
  expect([id, checked.body.checks.filter(({ ok }: { ok: boolean }) => !ok)]).toEqual([id, []]);
}
