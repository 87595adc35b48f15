import type { Implementation } from '../../service/implement.ts';
import type { ledger, RecordedEntry } from '../../contract/ledger.ts';
import type { Context } from '../../service/context.ts';
import { fromHex, fromUtf8, toHex } from '../../crypto/bytes.ts';
import { emptyRoot, rootOf } from '../../crypto/merkle.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { asc, readPage } from '../store/page.ts';
import { readHead } from './head.ts';
import { chainIdOf, logKeyOf, originOf } from '../../crypto/formats/ledger/log-key.ts';
import { proveConsistency, proveInclusion } from './proofs.ts';
import { newestCosigned, newestNote } from './witness/cosignatures.ts';
import { countEvidence } from './witness/evidence.ts';
import { stopDto, stopsOf } from './witness/stop.ts';

type Services = Implementation<typeof ledger>;

/** The public operations on the ledger. They never read erasable data. */

export const head: Services['head'] = async (ctx) => {
  const { keys } = ctx;
  // Whoever was told that something is done finds it in the ledger.
  await ctx.ledger.settled();
  const found = await readHead(ctx, logKeyOf(keys));
  const logKey = logKeyOf(keys);
  const cosigned = await newestCosigned(ctx);
  return {
    origin: originOf(logKey),
    logKey,
    chainId: chainIdOf(logKey),
    nodeId: keys.nodeId,
    publicKey: toHex(keys.identity.publicKey),
    size: found?.size ?? 0,
    root: toHex(found === undefined ? emptyRoot() : rootOf(found.frontier)),
    genesis: found?.logKey === logKey ? found.genesis : null,
    witnessKey: keys.witnessKey,
    cosigned: cosigned === undefined ? null : { size: cosigned.size, witnesses: cosigned.witnesses },
    stopped: (await stopsOf(ctx)).map(stopDto),
    contradictions: (await countEvidence(ctx)).total,
  };
};

export const checkpoint: Services['checkpoint'] = async (ctx, _guest, { which }) => {
  const content = (which === 'cosigned' && (await newestCosigned(ctx))?.note) || (await newestNote(ctx));
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
