// How long a proof takes that a file was not accessed, in a container with 100,000 files of which so many were accessed: when nothing
// happened since the last one, and after one more access. Beside it the same in a container with two files.
// npx tsx scripts/bench/file-proofs.ts [--files 100000] [--rounds 31] [--small]
import { randomBytes } from 'node:crypto';
import { operatorId, type Actor } from '../../src/service/actor.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { record } from '../../src/services/filevault/audit.ts';
import { createContainer } from '../../src/services/filevault/containers/containers.ts';
import { proveNonAccess } from '../../src/services/filevault/proofs/non-access.ts';
import { recordId } from '../../src/platform/store/record-id.ts';
import type { FileNodeRow } from '../../src/platform/store/tables/filevault.ts';
import { secretsOf, storePrepared } from '../../test/support/prepared-member.ts';
import { startNode } from '../../test/support/running-node.ts';
import { inTurns, median, type Measured, report, settings, timed } from './harness.ts';

const { files, rounds } = settings({ files: 100_000, rounds: 31 }, { files: 500, rounds: 3 });
const random = (size: number): Uint8Array => randomBytes(size);

interface Filled {
  readonly containerId: string;
  readonly ids: readonly string[];
}

/** Rows as an upload leaves them; a proof reads nothing else of a file. */
async function fill(ctx: Context, actor: Actor, name: string, count: number): Promise<Filled> {
  const { id, rootFolderId } = await createContainer(ctx, actor, {
    name,
    quorumGoverned: false,
    clientEncrypted: false,
  });
  const now = Date.now();
  const row = (at: number): FileNodeRow => ({
    id: recordId(now + at, random),
    container_id: id,
    kind: 1,
    parent_id: rootFolderId,
    name: `file ${at}`,
    name_key: `file ${at}`,
    description: null,
    tags: '[]',
    mime_type: 'text/plain',
    size: 1,
    version_id: null,
    quorum_governed: 0,
    visible_watermark: 0,
    invisible_watermark: 0,
    accessed_at: null,
    deleted_at: null,
    destruction_at: null,
    created_at: now,
    created_by: actor.memberId,
    updated_at: now,
    updated_by: actor.memberId,
    modified_at: now,
  });
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500)
    await transaction(ctx, async (tx) => {
      const rows = Array.from({ length: Math.min(500, count - from) }, (_, at) => row(from + at));
      for (const one of rows) await tx.db.insertInto('file_nodes').values(one).execute();
      ids.push(...rows.map((one) => one.id));
    });
  return { containerId: id, ids };
}

async function access(ctx: Context, actor: Actor, containerId: string, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += 500)
    await transaction(ctx, async (tx) => {
      for (const nodeId of ids.slice(from, from + 500))
        await record(tx, actor, { action: 'FILE_DOWNLOADED', containerId, nodeId });
    });
}

async function measure(ctx: Context, actor: Actor, { containerId, ids }: Filled, from: number) {
  const last = ids.at(-1) ?? '';
  const prove = async (): Promise<number> =>
    await timed(async () => await proveNonAccess(ctx, actor, { id: last, checkpoint: 'newest' }));
  const first = await prove();
  const took = await inTurns(
    rounds,
    {
      again: prove,
      accessed: async (round) => await access(ctx, actor, containerId, [ids[from + round] ?? '']),
      after: prove,
    },
    { warmUps: 0 },
  );
  return { first, again: median(took.again), after: median(took.after) };
}

await using node = await startNode();
const ctx = node.engine.context;
const { memberId } = await storePrepared(
  ctx,
  { username: 'ada', email: 'ada@example.org', ...secretsOf(1) },
  { type: 'User', createdBy: operatorId },
);
const actor = { memberId, type: 'User', address: '192.0.2.1', userAgent: '' } as Actor;
const small = await measure(ctx, actor, await fill(ctx, actor, 'small', rounds + 2), 0);
const rowsOf = (name: string, { first, again, after }: typeof small): Measured[] => {
  const row = (what: string, value: number, before: number): Measured => ({
    what: `${name}, ${what}`,
    value,
    unit: 'ms',
    nextTo: `with few files, ${before.toFixed(2)} ms`,
    ratio: value / before,
    atMost: 50,
    ratioAtMost: 3,
  });
  return [
    { what: `${name}, the first one, which builds the filter`, value: first, unit: 'ms' },
    row('again', again, small.again),
    row('after an access', after, small.after),
  ];
};
const large = await fill(ctx, actor, 'large', files);
const none = await measure(ctx, actor, large, 0);
const half = Math.floor(files / 2);
await access(ctx, actor, large.containerId, large.ids.slice(rounds, half));
const many = await measure(ctx, actor, large, half);
report(`Proofs of non-access in ${files} files, medians of ${rounds}`, [
  ...rowsOf('none accessed before', none),
  ...rowsOf(`${half} accessed before`, many),
]);
