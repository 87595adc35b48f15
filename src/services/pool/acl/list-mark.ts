import { join } from 'node:path';
import type { Context } from '../../../service/context.ts';
import { fromUtf8 } from '../../../crypto/bytes.ts';
import { leafHash, rootOf, verifyInclusion } from '../../../crypto/merkle.ts';
import { entryBytes } from '../../../crypto/formats/ledger/entry.ts';
import { readHead } from '../../../platform/ledger/head.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import { proveInclusion } from '../../../platform/ledger/proofs.ts';
import { openWaiting } from '../../../platform/ledger/waiting.ts';
import { readIfThere, replaceDurably } from '../../../platform/store/durable-file.ts';
import { Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { poolHead } from './store.ts';

/**
 * The high-water mark of the access list: the list that this node followed last, and where the ledger records that, in a file beside the
 * store. Every list that this node ever followed is validly signed. So somebody who can write to the database, and has no key, could put
 * an earlier one back in force, and with it nodes that were removed since. Only a list that the ledger recorded later takes its place.
 * The file is in no backup.
 */
const fileName = 'pool.mark';
const form = 'conclave/pool-mark/v1';

export interface ListMark {
  /** of the log that `index` is in: a log that began anew says nothing about the old one */
  readonly origin: string;
  /** leaf index of the entry POOL_ACL */
  readonly index: number;
  readonly poolId: string;
  readonly version: number;
  readonly hash: string;
}

type Place = Pick<Context, 'config' | 'log'>;
type Parts = Place & Pick<Context, 'db' | 'keys'>;
type Named = Pick<ListMark, 'poolId' | 'version' | 'hash'>;

async function readListMark({ config, log }: Place): Promise<ListMark | undefined> {
  const text = await readIfThere(join(config.dataDir, fileName));
  if (text === undefined) return undefined;
  const [version, origin = '', at = '', poolId = '', number = '', hash = ''] = text.split('\n');
  const index = wholeNumber(/^(?:0|[1-9]\d{0,15})$/.exec(at)?.[0]);
  const list = wholeNumber(/^[1-9]\d{0,15}$/.exec(number)?.[0]);
  const isHex = [poolId, hash].every((one) => /^[0-9a-f]{64}$/.test(one));
  if (version !== form || index === undefined || list === undefined || !isHex) {
    log.warn('pool.mark in the data directory is damaged, so an earlier access list may have gone unnoticed');
    return undefined;
  }
  return { origin, index, poolId, version: list, hash };
}

/**
 * Looks whether the database names an earlier access list than this node followed. It costs a small file and a row, unless the list has
 * changed since the mark was written. Not for a transaction that has just made another list active.
 *
 * @returns the list that this node followed last, if the active one is not that one nor recorded after it
 */
export async function passedOver(ctx: Parts): Promise<ListMark | undefined> {
  for (;;) {
    const head = await poolHead(ctx.db);
    const mark = await readListMark(ctx);
    if (mark === undefined) return undefined;
    const now = head === undefined ? undefined : { poolId: head.pool_id, version: head.version, hash: head.hash };
    if (now !== undefined && isSame(now, mark)) return undefined;
    if (await endsBefore(ctx, mark)) return undefined;
    if (head !== undefined && now !== undefined && (await isRecordedAfter(ctx, mark, head.ledger_entry, now)))
      return undefined;
    // Another list may have become active meanwhile, and the mark may be of that one.
    if ((await poolHead(ctx.db))?.ledger_entry === head?.ledger_entry) return mark;
  }
}

/** @throws Problem internal STORE_DAMAGED */
export async function refusePassedOver(ctx: Parts): Promise<void> {
  const mark = await passedOver(ctx);
  if (mark === undefined) return;
  throw new Problem('internal', 'STORE_DAMAGED', `${passedOverWords(mark)} Restore the newest backup of the store.`);
}

export function passedOverWords({ version, hash }: ListMark): string {
  return `The database names another access list as active than version ${version} (${hash.slice(0, 12)}), which this node followed last.`;
}

/**
 * Whether the ledger does not continue what the mark is about. It began anew, or the whole store was put back: that is a matter of
 * `ledger.mark`, and other nodes have the newer lists.
 */
async function endsBefore(ctx: Parts, { origin, index }: ListMark): Promise<boolean> {
  const size = (await readHead(ctx, logKeyOf(ctx.keys)))?.size ?? 0;
  return size <= index || origin !== originOf(logKeyOf(ctx.keys));
}

/** Whether the ledger has the entry, after the one of the mark, and it is about this list. */
async function isRecordedAfter(ctx: Parts, { index }: ListMark, entryId: string, list: Named): Promise<boolean> {
  // Asked in this order, because an entry goes from waiting to its place.
  const waiting = await ctx.db.selectFrom('ledger_waiting').selectAll().where('id', '=', entryId).executeTakeFirst();
  const row = await ctx.db
    .selectFrom('ledger_entries')
    .select(['leaf_index', 'body'])
    .where('entry_id', '=', entryId)
    .executeTakeFirst();
  if (row === undefined) {
    const entry = waiting === undefined ? undefined : openWaiting(ctx.keys, waiting)?.entry;
    return entry !== undefined && isAbout(entryBytes(entry, 0), list);
  }
  const body = new Uint8Array(row.body);
  return row.leaf_index > index && isAbout(body, list) && (await isIn(ctx, row.leaf_index, body));
}

/** Whether this is what the sealed head of the ledger has at this place. */
async function isIn(ctx: Parts, index: number, body: Uint8Array): Promise<boolean> {
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  if (head === undefined || index >= head.size) return false;
  const { proof } = await proveInclusion(ctx, index, head.size);
  return verifyInclusion({ index, size: head.size, leafHash: leafHash(body), root: rootOf(head.frontier), proof });
}

function isAbout(entry: Uint8Array, list: Named): boolean {
  const { type, data = {} } = JSON.parse(fromUtf8(entry)) as { type?: unknown; data?: Partial<Named> };
  return type === 'POOL_ACL' && isSame(data, list);
}

function isSame(one: Partial<Named>, other: Named): boolean {
  return one.poolId === other.poolId && one.version === other.version && one.hash === other.hash;
}

/**
 * Brings the mark to the active list, after the commit that made it active. It doesn't go back to a list that was recorded earlier, unless
 * the whole ledger was put back. A crash before leaves the earlier mark, which is no less true.
 */
export async function setListMark(ctx: Context): Promise<void> {
  const head = await poolHead(ctx.db);
  if (head === undefined || (await passedOver(ctx)) !== undefined) return;
  const index = (await placesOf(ctx, [head.ledger_entry])).get(head.ledger_entry)?.index;
  if (index === undefined) return;
  const origin = originOf(logKeyOf(ctx.keys));
  await ctx.ledger.oneByOne(async () => {
    const mark = await readListMark(ctx);
    if (mark?.origin === origin && (mark.index === index || (mark.index > index && !(await endsBefore(ctx, mark)))))
      return;
    const text = [form, origin, index, head.pool_id, head.version, head.hash, ''].join('\n');
    await replaceDurably(join(ctx.config.dataDir, fileName), text);
  });
}
