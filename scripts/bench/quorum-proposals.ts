// How long a page of proposals of one status takes, with 10,000 proposals, measured against a bare select of the same rows.
//
//   npx tsx scripts/bench/quorum-proposals.ts [proposals]
//
// Ends with 1 when a page takes 30 ms or more, or more than 4 times as long as the bare select.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorId, type Actor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { listProposals } from '../../src/services/quorum/proposals/proposals.ts';
import { openDatabase } from '../../src/store/open.ts';
import { recordId } from '../../src/store/record-id.ts';
import type { QuorumProposalRow } from '../../src/store/tables/quorum.ts';
import { median, printTable } from './table.ts';

const proposals = Number(process.argv[2] ?? 10_000);
const ROUNDS = 51;
const PAGE = 100;
const bounds = { milliseconds: 30, ratio: 4 };

/** In turn, so that every status is everywhere among the others. */
const statuses = ['pending', 'executed', 'executed', 'rejected', 'expired', 'cancelled', 'failed'] as const;
const now = Date.now();
const random = (size: number): Uint8Array => randomBytes(size);

function row(at: number): QuorumProposalRow {
  return {
    id: recordId(now + at, random),
    description: `Proposal ${at}: ${'what we want to do, and why. '.repeat(10)}`,
    action_type: 'CUSTOM',
    action_payload: JSON.stringify({ at, text: 'x'.repeat(200) }),
    action_hash: '0'.repeat(64),
    proposer_id: '1'.repeat(24),
    status: statuses[at % statuses.length] ?? 'pending',
    reason: null,
    required_threshold: 3,
    epoch: 5,
    attachment_cbl_id: null,
    created_at: now + at,
    expires_at: now + 86_400_000,
    decided_at: null,
    executes_at: null,
    executed_at: null,
  };
}

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const store = await openDatabase({ dataDir: folder, create: true });
try {
  for (let from = 0; from < proposals; from += 500)
    await store.transaction(async (db) => {
      const rows = Array.from({ length: Math.min(500, proposals - from) }, (_, at) => row(from + at));
      for (const one of rows) await db.insertInto('quorum_proposals').values(one).execute();
    });
  // What the list needs of them.
  const ctx = { db: store.db, keys: { cursor: random(32) }, random, clock: { now: Date.now } } as unknown as Context;
  const actor = { memberId: operatorId, type: 'System' } as Actor;
  const page = async (status: QuorumProposalRow['status'] | undefined, cursor?: string) =>
    await listProposals(ctx, actor, { status, cursor, limit: PAGE });
  const select = async (status: QuorumProposalRow['status'] | undefined) => {
    const all = store.db.selectFrom('quorum_proposals').selectAll();
    const those = status === undefined ? all : all.where('status', '=', status);
    await those.orderBy('id', 'desc').limit(PAGE).execute();
  };
  const timed = async (body: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await body();
    return performance.now() - started;
  };
  const results: (readonly [string, number, number])[] = [];
  for (const status of ['pending', 'executed', undefined] as const) {
    const { cursor } = await page(status);
    const [bare, first, second]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await timed(async () => await select(status)));
      first.push(await timed(async () => await page(status)));
      second.push(await timed(async () => await page(status, cursor)));
    }
    const name = status ?? 'all';
    results.push(
      [`${name}, first page`, median(first), median(bare)],
      [`${name}, next page`, median(second), median(bare)],
    );
  }
  console.log(`${proposals} proposals, pages of ${PAGE}, median of ${ROUNDS}`);
  printTable(
    ['list', 'ms', 'bare select, ms', 'ratio'],
    results.map(([name, took, bare]) => [name, took.toFixed(2), bare.toFixed(2), (took / bare).toFixed(2)]),
  );
  if (results.some(([, took, bare]) => took >= bounds.milliseconds || took / bare > bounds.ratio)) process.exitCode = 1;
} finally {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
