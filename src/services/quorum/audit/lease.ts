import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { nothingVerified, readMark, type Mark } from './verified.ts';

/** What is not heard of for so long has stopped. In milliseconds. */
const SILENCE = 30_000;
/** How often a long verification says that it is alive. In milliseconds. */
const HEARTBEAT = 5_000;
/** How long a request waits for another one, and how often it looks. In milliseconds. */
const PATIENCE = 30_000;
const GLANCE = 50;

/** A seal has 32 bytes. What is not sealed has these in its place: whose verification it is. */
const TOKEN_LENGTH = 16;

/** The right to verify: one verification runs at a time, over all processes, because it changes what was verified before. */
export interface Lease {
  /** what was verified before, with its seal; undefined: nothing, or a verification stopped halfway */
  readonly before: { readonly mark: Mark; readonly seal: Uint8Array } | undefined;
  /**
   * Stores how far the verification is, and that it is alive.
   * @throws Problem unavailable AUDIT_BUSY if another one took over, because this one was silent for long
   */
  keep(tx: Context, mark: Mark): Promise<void>;
  /**
   * Lets other work run, and says now and then that the verification is alive. Between two pages of a long reading.
   * @throws Problem as `keep`
   */
  readonly alive: () => Promise<void>;
  /** Forgets what was verified before. */
  startAnew(): Promise<void>;
  /** Ends the verification. With a seal the next one goes on where it ended, else the next one starts anew. */
  end(mark: Mark, seal: Uint8Array | undefined): Promise<void>;
}

/** @throws Problem unavailable AUDIT_BUSY if another verification takes too long */
export async function takeLease(ctx: Context): Promise<Lease> {
  const until = performance.now() + PATIENCE;
  const token = ctx.random(TOKEN_LENGTH);
  for (;;) {
    const lease = await transaction(ctx, async (tx) => await tryLease(tx, ctx, token));
    if (lease !== undefined) return lease;
    if (performance.now() > until) throw busy();
    await wait(GLANCE, undefined, { ...(ctx.caller?.signal && { signal: ctx.caller.signal }) });
  }
}

async function tryLease(tx: Context, ctx: Context, token: Uint8Array): Promise<Lease | undefined> {
  const now = tx.clock.now();
  await tx.db
    .insertInto('quorum_verified')
    .values({ id: 1, ...nothingVerified, seal: new Uint8Array(), verified_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await readMark(tx);
  if (row === undefined) throw new Error('the row that was just made is not there');
  if (row.seal.length === TOKEN_LENGTH && now - row.verified_at < SILENCE && now >= row.verified_at) return undefined;
  const taken = await tx.db
    .updateTable('quorum_verified')
    .set({ seal: token, verified_at: now })
    .where('id', '=', 1)
    .where('seal', '=', row.seal)
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n) return undefined;
  const { size, records, frontier, seal } = row;
  const isNew = seal.length === 0 || seal.length === TOKEN_LENGTH;
  return leaseOf(ctx, token, isNew ? undefined : { mark: { size, records, frontier }, seal });
}

function leaseOf(ctx: Context, token: Uint8Array, before: Lease['before']): Lease {
  let heard = ctx.clock.now();
  const write = async (tx: Context, values: Partial<Mark & { seal: Uint8Array }>): Promise<void> => {
    heard = tx.clock.now();
    const kept = await tx.db
      .updateTable('quorum_verified')
      .set({ ...values, verified_at: heard })
      .where('id', '=', 1)
      .where('seal', '=', token)
      .executeTakeFirst();
    if (kept.numUpdatedRows === 0n) throw busy();
  };
  return {
    before,
    keep: async (tx, mark) => await write(tx, plainMark(mark)),
    async alive() {
      await breathe();
      if (ctx.clock.now() - heard >= HEARTBEAT) await write(ctx, {});
    },
    async startAnew() {
      await transaction(ctx, async (tx) => {
        await write(tx, nothingVerified);
        await tx.db.deleteFrom('quorum_verified_rows').execute();
      });
    },
    end: async (mark, seal = new Uint8Array()) => await write(ctx, { ...plainMark(mark), seal }),
  };
}

function plainMark({ size, records, frontier }: Mark): Mark {
  return { size, records, frontier };
}

function busy(): Problem {
  return new Problem(
    'unavailable',
    'AUDIT_BUSY',
    'Another verification of the audit trail is running. Wait until it has ended, and try again.',
  );
}
