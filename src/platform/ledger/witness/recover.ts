import type { Implementation } from '../../../service/implement.ts';
import { requireRole } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { ledger } from '../../../contract/ledger.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { emptyRoot, rootOf } from '../../../crypto/merkle.ts';
import { logTagOf } from '../../../crypto/verifier-key.ts';
import { Problem } from '../../../base/problem.ts';
import { waitingEntry } from '../append.ts';
import type { Recovered } from '../../../crypto/formats/ledger/genesis.ts';
import { readHead } from '../head.ts';
import { integrate } from '../integrate.ts';
import { parseCheckpoint } from '../../../crypto/formats/ledger/checkpoint.ts';
import { issueCheckpoint } from '../issue-checkpoint.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { parseNote } from '../../../crypto/formats/ledger/signed-note.ts';
import { markFile, readMark, setMark } from './mark.ts';
import { compareWithOwn, type RememberedHead } from './own-head.ts';
import { stopDto, stopsOf, type Stop } from './stop.ts';

type Services = Implementation<typeof ledger>;

const operator = { all: ['admin', 'system'] } as const;

/** What was noticed, and what a recovery would do. */
export const recovery: Services['recovery'] = async (ctx, actor) => {
  requireRole(actor, operator);
  const stops = await stopsOf(ctx);
  const { size, root } = await ownHead(ctx);
  const { head, from, missing } = await headToRecover(ctx, stops);
  return {
    stopped: stops.map(stopDto),
    logKey: logKeyOf(ctx.keys),
    size,
    root: toHex(root),
    recovers: { ...recoveredFrom(ctx, head), from },
    missing,
  };
};

/**
 * Begins a new log in place of the one that this store does not continue. Its genesis entry names the largest head of the old one that is
 * known, so others see a recovery and not a contradiction. All entries of the store stay where they are.
 */
export const recover: Services['recover'] = async (ctx, actor, { size: confirmed }) => {
  requireRole(actor, operator);
  const tag = toHex(ctx.random(8));
  const { recovers, kinds, given, end } = await ctx.store.inTurn(async (db) => {
    const tx = { ...ctx, db };
    const stops = await stopsOf(tx);
    if (stops.length === 0) throw new Problem('conflict', 'NODE_NOT_STOPPED', 'Nothing is wrong with this node.');
    const { head } = await headToRecover(tx, stops);
    if (head.size !== confirmed)
      throw new Problem('conflict', 'RECOVERY_CHANGED', 'More was noticed meanwhile. Look at it again, then recover.');
    const old = recoveredFrom(tx, head);
    const keys = { ...tx.keys, ...tx.keys.logOf(tag), recovers: old };
    const reasons = [...new Set(stops.map(({ kind }) => kind))];
    const current = originOf(logKeyOf(tx.keys));
    const entry = waitingEntry(tx, { type: 'NODE_RECOVERED', data: { reasons, recovers: { ...old } } });
    const grown = await integrate({ ...tx, keys }, [entry]);
    const now = tx.clock.now();
    // What is noticed from now on counts.
    const latest = Math.max(...stops.map(({ noticedAt }) => noticedAt));
    const origins = [...new Set([head.origin, current])];
    for (const origin of origins)
      await tx.db
        .insertInto('ledger_recoveries')
        .values({ old_origin: origin, new_origin: originOf(keys.ledgerLogKey), recovered_at: now })
        .execute();
    await tx.db
      .updateTable('ledger_stops')
      .set({ recovered_at: now })
      .where('recovered_at', 'is', null)
      .where('noticed_at', '<=', latest)
      .execute();
    return { recovers: old, kinds: reasons, given: origins, end: grown };
  });
  ctx.keys.useLog(tag);
  ctx.ledger.grew(end);
  ctx.log.warn('the node was recovered: it began a new log', { reasons: kinds, oldLogs: given });
  const issued = await issueCheckpoint(ctx);
  await setMark(ctx, issued);
  return { recovers, logKey: issued.logKey, size: issued.size, root: toHex(issued.root) };
};

async function ownHead(ctx: Context): Promise<RememberedHead> {
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  const root = head === undefined ? emptyRoot() : rootOf(head.frontier);
  return { origin: originOf(logKeyOf(ctx.keys)), size: head?.size ?? 0, root };
}

interface Known {
  readonly head: RememberedHead;
  readonly from: string;
  /** entries up to this head that are not in the store: at least this many */
  readonly missing: number;
}

/**
 * The largest head that this node signed, as far as it is known. A log that the store doesn't know of came later than the one that it has.
 * The end of the store itself counts only as far as it was signed: a store that was put back goes on growing.
 */
async function headToRecover(ctx: Context, stops: readonly Stop[]): Promise<Known> {
  const own = await ownHead(ctx);
  const mark = await readMark(ctx);
  const told = stops.flatMap(({ details: { toldBy, origin, size, root, entries } }): Known[] => {
    if (typeof origin !== 'string' || typeof size !== 'number' || typeof root !== 'string') return [];
    const had = typeof entries === 'number' ? Math.min(entries, own.size) : own.size;
    const from = typeof toldBy === 'string' ? toldBy : 'another node';
    return [{ head: { origin, size, root: fromHex(root) }, from, missing: Math.max(1, size - had) }];
  });
  if (mark !== undefined && (await compareWithOwn(ctx, mark)) !== undefined)
    told.push({ head: mark, from: markFile, missing: Math.max(1, mark.size - own.size) });
  const later = told.filter(({ head }) => head.origin !== own.origin);
  const missing = Math.max(0, ...told.map((one) => one.missing));
  const ownSigned = later.length > 0 ? undefined : await signedHead(ctx, own.origin);
  const counting = [
    ...(later.length > 0 ? later : told),
    ...(ownSigned === undefined ? [] : [{ head: ownSigned, from: 'the store', missing }]),
  ];
  const [first = { head: own, from: 'the store', missing }, ...others] = counting;
  const largest = others.reduce((best, one) => (one.head.size > best.head.size ? one : best), first);
  return { ...largest, missing };
}

/** The largest checkpoint of the log that this store keeps. */
async function signedHead({ db }: Context, origin: string): Promise<RememberedHead | undefined> {
  const kept = await db
    .selectFrom('ledger_checkpoints')
    .select('note')
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst();
  const note = kept === undefined ? undefined : parseNote(kept.note);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  return checkpoint?.origin === origin ? checkpoint : undefined;
}

function recoveredFrom({ keys }: Context, { origin, size, root }: RememberedHead): Recovered {
  const { ledgerLogKey: logKey } = keys.logOf(logTagOf(keys.nodeId, origin) ?? '');
  return { logKey, size, root: toHex(root) };
}
