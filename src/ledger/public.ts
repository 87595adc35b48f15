import type { ledger, RecordedEntry } from '../contract/ledger.ts';
import { type Context, transaction } from '../context.ts';
import { fromHex, fromUtf8, toHex } from '../crypto/bytes.ts';
import { emptyRoot, rootOf } from '../crypto/merkle.ts';
import { logOriginOf, parseVerifierKey } from '../crypto/verifier-key.ts';
import type { Implementation } from '../service-parts.ts';
import { fieldProblem, Problem } from '../problem.ts';
import { asc, readPage } from '../store/page.ts';
import { readHead } from './head.ts';
import { chainIdOf, logKeyOf } from './log-key.ts';
import { proveConsistency, proveInclusion } from './proofs.ts';
import { parseCheckpoint, signCheckpoint } from './checkpoint.ts';
import { parseNote, signaturesBy } from './signed-note.ts';

type Services = Implementation<typeof ledger>;

/** The public operations on the ledger. They never read erasable data. */

export const head: Services['head'] = async (ctx) => {
  const { keys } = ctx;
  // Whoever was told that something is done finds it in the ledger.
  await ctx.ledger.settled();
  const logKey = logKeyOf(keys);
  const found = await readHead(ctx, logKey);
  return {
    origin: logOriginOf(keys.nodeId),
    logKey,
    chainId: chainIdOf(logKey),
    nodeId: keys.nodeId,
    publicKey: toHex(keys.identity.publicKey),
    size: found?.size ?? 0,
    root: toHex(found === undefined ? emptyRoot() : rootOf(found.frontier)),
    genesis: found?.logKey === logKey ? found.genesis : null,
  };
};

export const checkpoint: Services['checkpoint'] = async (ctx) => {
  const content = await issueCheckpoint(ctx);
  return { type: 'text/plain; charset=utf-8', content, headers: { 'cache-control': 'no-cache' } };
};

export const entries: Services['entries'] = async (ctx, _guest, { from, to, limit, cursor }) => {
  const size = await sizeOf(ctx);
  if (to !== undefined && to < from) throw fieldProblem('to', 'must not be less than from');
  if (from > size) throw tooSmall(from, size);
  const wanted = Math.min(to ?? size, size);
  const { rows, next } = await readPage(
    ctx,
    ctx.db
      .selectFrom('ledger_entries')
      .select(['leaf_index', 'leaf_hash', 'body'])
      .where('leaf_index', '>=', from)
      .where('leaf_index', '<', wanted),
    {
      list: 'ledger.entries',
      // The list is public, so its cursors are not bound to a member.
      memberId: '',
      filter: { from, to },
      by: [asc('leaf_index', (row) => row.leaf_index)],
    },
    { limit, cursor },
  );
  const found = rows.map((row): RecordedEntry => {
    return { index: row.leaf_index, leafHash: toHex(row.leaf_hash), entry: textOf(row.body) };
  });
  const last = found.at(-1);
  return { size, entries: found, ...next, ...(next.hasMore && last !== undefined && { next: last.index + 1 }) };
};

export const inclusion: Services['inclusion'] = async (ctx, _guest, { index, hash, size }) => {
  const now = await sizeOf(ctx);
  const at = size ?? now;
  if ((index === undefined) === (hash === undefined))
    throw fieldProblem('index', 'is required unless hash is given; give only one of them');
  if (at > now) throw tooSmall(at, now);
  const leaf = await findLeaf(ctx, index, hash);
  if (leaf === undefined || leaf.leaf_index >= at)
    throw new Problem('missing', 'LEDGER_ENTRY_NOT_FOUND', `The ledger of ${at} entries has no such entry.`);
  const { root, proof } = await proveInclusion(ctx, leaf.leaf_index, at);
  return {
    index: leaf.leaf_index,
    leafHash: toHex(leaf.leaf_hash),
    size: at,
    root: toHex(root),
    proof: proof.map(toHex),
  };
};

export const consistency: Services['consistency'] = async (ctx, _guest, { from, to }) => {
  const now = await sizeOf(ctx);
  const end = to ?? now;
  if (end > now) throw tooSmall(end, now);
  if (from > end) throw to === undefined ? tooSmall(from, now) : fieldProblem('from', 'must not be greater than to');
  const { fromRoot, toRoot, proof } = await proveConsistency(ctx, from, end);
  return { from, to: end, fromRoot: toHex(fromRoot), toRoot: toHex(toRoot), proof: proof.map(toHex) };
};

async function sizeOf(ctx: Context): Promise<number> {
  await ctx.ledger.settled();
  return (await readHead(ctx, logKeyOf(ctx.keys)))?.size ?? 0;
}

async function findLeaf({ db }: Context, index: number | undefined, hash: string | undefined) {
  const query = db.selectFrom('ledger_entries').select(['leaf_index', 'leaf_hash']);
  const found =
    hash === undefined ? query.where('leaf_index', '=', index ?? -1) : query.where('leaf_hash', '=', fromHex(hash));
  return await found.executeTakeFirst();
}

/** Decodes an entry. A damaged entry is still shown as far as possible; its hash no longer matches. */
function textOf(body: Uint8Array): string {
  try {
    return fromUtf8(body);
  } catch {
    return Buffer.from(body).toString('utf8');
  }
}

function tooSmall(asked: number, size: number): Problem {
  return new Problem('missing', 'LEDGER_TOO_SMALL', `The ledger has ${size} entries, not ${asked}.`);
}

/**
 * Makes the signed checkpoint of the current ledger. Each checkpoint is stored before it is published, so that a later change of the
 * ledger is found: it does not match the stored checkpoints.
 */
async function issueCheckpoint(ctx: Context): Promise<string> {
  await ctx.ledger.settled();
  const logKey = logKeyOf(ctx.keys);
  const now = await readHead(ctx, logKey);
  const size = now?.size ?? 0;
  const root = now === undefined ? emptyRoot() : rootOf(now.frontier);
  if (size > 0) {
    const kept = await ctx.db
      .selectFrom('ledger_checkpoints')
      .select('note')
      .where('size', '=', size)
      .executeTakeFirst();
    if (kept !== undefined && isOf(kept.note, logKey, root)) return kept.note;
  }
  const note = signCheckpoint(ctx.keys, size, root);
  if (size > 0) await keep(ctx, size, note);
  return note;
}

/** Whether the stored note matches the current log key and root. Reusing it saves the work of signing again. */
function isOf(note: string, logKey: string, root: Uint8Array): boolean {
  const [signed, key] = [parseNote(note), parseVerifierKey(logKey)];
  if (signed === undefined || key === undefined || signaturesBy(signed, key).length === 0) return false;
  const said = parseCheckpoint(signed.text);
  return said !== undefined && Buffer.compare(said.root, root) === 0;
}

async function keep(ctx: Context, size: number, note: string): Promise<void> {
  await transaction(ctx, async ({ db, clock }) => {
    await db
      .insertInto('ledger_checkpoints')
      .values({ size, note, created_at: clock.now() })
      .onConflict((conflict) => conflict.column('size').doNothing())
      .execute();
  });
}
