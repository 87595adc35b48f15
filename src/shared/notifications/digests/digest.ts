import { transaction, type Context } from '../../../service/context.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { NotificationRow } from '../../../platform/store/tables/notifications.ts';
import { asTold, seenForDigest } from '../seeing.ts';
import { quietUntil, wantedChannels } from '../wishes.ts';
import { digestJobId, planDigests } from './plan.ts';
import { digestText, type DigestText } from './text.ts';

/** Lines of a digest. */
const MOST_LINES = 50;
/** Notifications can be read and withdrawn while a digest is made. After so many tries the job is tried again later. */
const MOST_TRIES = 3;

export interface DigestRecipient {
  readonly memberId: string;
  readonly username: string;
}

/** A message that is ready for a mailbox of this node. */
export interface PreparedMail {
  /** puts it into the mailbox, in a transaction; a mailbox that is full or refuses it gets none */
  readonly deliver: (tx: Context) => Promise<void>;
  /** forgets what was made, if it was not delivered */
  readonly drop: () => Promise<void>;
}

/** What the room needs of a mail service. */
export type PrepareMail = (ctx: Context, to: DigestRecipient, message: DigestText) => Promise<PreparedMail>;

/** Puts a digest into a member's mailbox, exactly once: the message and what it tells of are marked in one transaction. */
export async function digestHandler(ctx: Context, prepareMail: PrepareMail): Promise<JobHandler> {
  return async (payload, { finish }) => {
    const { memberId } = payload as { readonly memberId: string };
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const made = await collected(ctx, memberId);
      if (made === undefined) return;
      const done = async (body: (tx: Context) => Promise<void>): Promise<void> =>
        await transaction(ctx, async (tx) => {
          await finish(tx.db);
          await body(tx);
        });
      if ('until' in made) return await done(async (tx) => await planAt(tx, memberId, made.until));
      if (made.rows.length === 0) return await done(async (tx) => await settle(tx, memberId, made));
      const mail = await prepareMail(
        ctx,
        made.recipient,
        digestText(
          made.rows.map(({ seen }) => seen),
          made.more,
        ),
      );
      let delivered = false;
      try {
        await done(async (tx) => {
          await assertUnchanged(tx, made.rows);
          await settle(tx, memberId, made);
          await mail.deliver(tx);
        });
        delivered = true;
        return;
      } catch (error) {
        if (!(error instanceof Changed)) throw error;
      } finally {
        if (!delivered) await mail.drop();
      }
    }
    throw new Error('the notifications of a digest changed while it was made');
  };
}

interface Line {
  readonly row: NotificationRow;
  /** the same as its recipient may see it */
  readonly seen: NotificationRow;
}

interface Collected {
  readonly recipient: DigestRecipient;
  /** the latest first */
  readonly rows: readonly Line[];
  /** how many are not among them */
  readonly more: number;
  /** all that waited, also what is not wanted or not for the reader */
  readonly looked: readonly string[];
}

/** @returns undefined for a member who is suspended or gone; a time if the member wants quiet now */
async function collected(ctx: Context, memberId: string): Promise<Collected | { readonly until: number } | undefined> {
  const { db } = ctx;
  const at = ctx.clock.now();
  const member = await db
    .selectFrom('members')
    .select(['id', 'username'])
    .where('id', '=', memberId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  if (member === undefined) return undefined;
  const preferences = await db
    .selectFrom('notification_preferences')
    .selectAll()
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  const until = quietUntil(preferences, at);
  if (until !== undefined) return { until: until === Infinity ? at + ctx.config.notifications.digestMs : until };
  // At most as many as are kept.
  const waiting = await waitingOf(ctx, memberId).orderBy('updated_at', 'desc').orderBy('id', 'desc').execute();
  const visible = await seenForDigest(ctx, memberId);
  const wanted = waiting.filter(
    ({ id, type }) => visible.has(id) && wantedChannels(ctx.config, preferences, type).has('email'),
  );
  const rows: Line[] = [];
  let hidden = 0;
  for (const row of wanted) {
    if (rows.length === MOST_LINES) break;
    const seen = await asTold(ctx, row);
    if (seen === undefined) hidden += 1;
    else rows.push({ row, seen });
  }
  const more = wanted.length - rows.length - hidden;
  return { recipient: { memberId, username: member.username }, rows, more, looked: waiting.map(({ id }) => id) };
}

function waitingOf({ db }: Context, memberId: string) {
  return db
    .selectFrom('notifications')
    .selectAll()
    .where('recipient_id', '=', memberId)
    .where('digest', '=', 1)
    .where('is_read', '=', 0)
    .where('held', '!=', 1);
}

async function planAt(tx: Context, memberId: string, runAt: number): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { id: digestJobId(memberId), kind: 'notification-digest', payload: { memberId }, runAt, now });
}

class Changed extends Error {}

/** What was read, withdrawn or joined since must not be told as it was. */
async function assertUnchanged(tx: Context, rows: readonly Line[]): Promise<void> {
  const ids = rows.map(({ row }) => row.id);
  const still = await tx.db
    .updateTable('notifications')
    .set({ digest: 2 })
    .where('id', 'in', ids)
    .where('is_read', '=', 0)
    .where('digest', '=', 1)
    .returning(['id', 'content', 'count', 'actor_count'])
    .execute();
  const now = new Map(still.map((row) => [row.id, row]));
  const same = rows.every(({ row }) => isSame(now.get(row.id), row));
  if (!same) throw new Changed();
  for (const { row, seen } of rows) if (!isSame(await asTold(tx, row), seen)) throw new Changed();
}

type Said = Pick<NotificationRow, 'content' | 'count' | 'actor_count'>;

function isSame(one: Said | undefined, { content, count, actor_count: actors }: Said): boolean {
  return one?.content === content && one.count === count && one.actor_count === actors;
}

/** None of what there was is told again. What has come since has a digest of its own. */
async function settle(tx: Context, memberId: string, { looked }: Pick<Collected, 'looked'>): Promise<void> {
  await tx.db
    .updateTable('notifications')
    .set({ digest: 2 })
    .where('recipient_id', '=', memberId)
    .where('digest', '=', 1)
    .where((e) => e.or([e('is_read', '=', 1), ...(looked.length === 0 ? [] : [e('id', 'in', looked)])]))
    .execute();
  const next = await waitingOf(tx, memberId).limit(1).executeTakeFirst();
  if (next !== undefined) await planDigests(tx, [memberId]);
}
