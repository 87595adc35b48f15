import { type Context, transaction } from '../../../service/context.ts';
import type { JsonObject } from '../../../crypto/formats/ledger/entry.ts';

/** What this node noticed about the ledger of another one, and can't prove to others. */
const noticeKinds = {
  older: 'shows an older ledger than the one that it signed: its store was put back',
  copied: 'runs as two processes on different stores: one is a copy',
  unproven: 'did not show that its ledger continues the one that it signed',
  recovered: 'was recovered: it began a new log in place of its old one',
} as const;

export type NoticeKind = keyof typeof noticeKinds;

/** What goes on is noticed anew every hour. So what nobody noticed for this long is over, or the node is gone. */
const KEPT_MS = 7 * 86_400_000;
/** Of a large pool, the newest. */
const MOST_SHOWN = 50;
/** What is noticed in every round is logged and written this often. */
const LOG_MS = 3_600_000;

/** Remembers it, and logs it unless that was done lately. */
export async function notice(ctx: Context, nodeId: string, kind: NoticeKind, details: JsonObject): Promise<void> {
  const isNew = await transaction(ctx, async ({ db, clock }) => {
    const now = clock.now();
    const known = await db
      .selectFrom('ledger_notices')
      .select('noticed_at')
      .where('node_id', '=', nodeId)
      .where('kind', '=', kind)
      .executeTakeFirst();
    if (known !== undefined && now - known.noticed_at < LOG_MS && kind !== 'recovered') return false;
    const row = { details: JSON.stringify(details), noticed_at: now };
    await db
      .insertInto('ledger_notices')
      .values({ ...row, node_id: nodeId, kind })
      .onConflict((conflict) => conflict.columns(['node_id', 'kind']).doUpdateSet(row))
      .execute();
    return true;
  });
  if (isNew) ctx.log[kind === 'recovered' ? 'warn' : 'error'](`a node ${noticeKinds[kind]}`, { nodeId, ...details });
}

/** It is over: the node shows what it signed again, or was recovered. */
export async function endNotices(ctx: Context, nodeId: string, kinds: readonly NoticeKind[]): Promise<void> {
  const ofNode = (db: Context['db']) =>
    db.selectFrom('ledger_notices').select('kind').where('node_id', '=', nodeId).where('kind', 'in', kinds);
  if ((await ofNode(ctx.db).executeTakeFirst()) === undefined) return;
  await transaction(ctx, async ({ db }) => {
    await db.deleteFrom('ledger_notices').where('node_id', '=', nodeId).where('kind', 'in', kinds).execute();
  });
}

export async function countNotices({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const { count } = await db
    .selectFrom('ledger_notices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('kind', '!=', 'recovered')
    .where('noticed_at', '>', clock.now() - KEPT_MS)
    .executeTakeFirstOrThrow();
  return count;
}

/** As operations show it, newest first. */
export async function noticesOf({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  const rows = await db
    .selectFrom('ledger_notices')
    .selectAll()
    .where('noticed_at', '>', clock.now() - KEPT_MS)
    .orderBy('noticed_at', 'desc')
    .orderBy('node_id')
    .orderBy('kind')
    .limit(MOST_SHOWN)
    .execute();
  return rows.map(({ node_id: nodeId, kind, noticed_at: noticedAt }) => {
    const known = kind as NoticeKind;
    return { nodeId, kind: known, what: noticeKinds[known], noticedAt: new Date(noticedAt).toISOString() };
  });
}
