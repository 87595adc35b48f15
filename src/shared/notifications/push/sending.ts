import { hash } from 'node:crypto';
import { transaction, type Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { generateP256 } from '../../../crypto/p256.ts';
import { encryptPush, longestPush, vapidAuthorization } from '../../../crypto/web-push.ts';
import { destinationOf, postTo, type PostAnswer } from '../../../platform/outbound/post.ts';
import { retryDelay } from '../../../platform/store/jobs/job-rows.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { NotificationRow } from '../../../platform/store/tables/notifications.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { asTold } from '../seeing.ts';
import { sentenceOf } from '../telling.ts';
import { waitsUntil, wantedChannels } from '../wishes.ts';
import { planPush, type PlannedPush } from './plan.ts';
import { openTarget } from './sealed.ts';

const TIMEOUT_MS = 5_000;
/** Messages to one member that are under way at once: their servers may be slow on purpose, and others wait too. */
const MOST_OF_MEMBER = 4;
const TURN_MS = 2_000;
/** So long a push service keeps a message for a browser that is away, and so long it is tried. */
const TTL_SECONDS = 24 * 60 * 60;
/** RFC 8292, 2: at most a day. The clock of the push service may differ. */
const TOKEN_SECONDS = 12 * 60 * 60;
const REMINDER_SECONDS = 15 * 60;
const MOST_TRIES = 8;
/** The first retry comes after half a minute: the delays of jobs begin with a second. */
const SLOWER = 5;
/** After so many messages in a row that could not be delivered, the browser counts as gone. */
const MOST_FAILURES = 10;
/** All shorter messages have this length, so that the push service learns nothing from it. */
const PADDED_BYTES = 1_024;

/** Sends a notification to one browser, if it is to be sent at this moment. */
export async function pushHandler(ctx: Context): Promise<JobHandler> {
  const underWay = new Map<string, number>();
  return async (payload, { finish, signal }) => {
    const push = payload as PlannedPush;
    const found = await toSend(ctx, push);
    if (found === undefined) return;
    const { recipient_id: memberId } = found.row;
    const others = underWay.get(memberId) ?? 0;
    underWay.set(memberId, others + 1);
    try {
      // Nobody wants to be reminded twice: what ends between the sending and the end of the job is not sent again.
      const once = isReminder(found.row) && others < MOST_OF_MEMBER;
      if (once) await transaction(ctx, async (tx) => await finish(tx.db));
      // Nobody sends it after the stop of this process, so that waits.
      const until = once ? new AbortController().signal : signal;
      const outcome = others < MOST_OF_MEMBER ? await send(ctx, found, until) : 'later';
      await transaction(ctx, async (tx) => {
        if (!once) await finish(tx.db);
        if (outcome === 'later') await planPush(tx, push, tx.clock.now() + TURN_MS);
        else await settle(tx, push, outcome);
      });
    } finally {
      const left = (underWay.get(memberId) ?? 1) - 1;
      if (left > 0) underWay.set(memberId, left);
      else underWay.delete(memberId);
    }
  };
}

interface ToSend {
  readonly row: NotificationRow;
  readonly target: ReturnType<typeof openTarget>;
}

/** @returns undefined if there is nothing to send: no browser, no session, nothing unread, not wanted, not now, or not for the reader */
async function toSend(ctx: Context, { subscriptionId, notificationId }: PlannedPush): Promise<ToSend | undefined> {
  const now = ctx.clock.now();
  const subscription = await ctx.db
    .selectFrom('push_subscriptions as p')
    .innerJoin('sessions as s', 's.id', 'p.session_id')
    .innerJoin('members as m', 'm.id', 'p.member_id')
    .select(['p.member_id', 'p.sealed'])
    .where('p.id', '=', subscriptionId)
    .where('s.expires_at', '>', now)
    .where('m.status', '=', 'active')
    .executeTakeFirst();
  if (subscription === undefined) return undefined;
  const memberId = subscription.member_id;
  const row = await ctx.db
    .selectFrom('notifications')
    .selectAll()
    .where('id', '=', notificationId)
    .where('recipient_id', '=', memberId)
    .where('is_read', '=', 0)
    .where('held', '!=', 1)
    .where('updated_at', '>', now - TTL_SECONDS * 1_000)
    .executeTakeFirst();
  if (row === undefined || row.updated_at <= now - lastingSeconds(row) * 1_000) return undefined;
  const preferences = await ctx.db
    .selectFrom('notification_preferences')
    .selectAll()
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (!wantedChannels(ctx.config, preferences, row.type).has('push')) return undefined;
  if (waitsUntil(preferences, row.type, now) !== undefined) return undefined;
  const seen = await asTold(ctx, row);
  if (seen === undefined) return undefined;
  return { row: seen, target: openTarget(ctx, subscriptionId, subscription.sealed) };
}

/** `unknown`: it may have been delivered, and must not be delivered twice. */
type Outcome = 'delivered' | 'gone' | 'failed' | 'unknown' | { readonly retryAfterMs: number };

async function send(ctx: Context, { row, target }: ToSend, signal: AbortSignal): Promise<Outcome> {
  const fresh = { pair: generateP256(ctx.random), salt: ctx.random(16) };
  const body = encryptPush(target, messageOf(row), fresh, PADDED_BYTES);
  const seconds = Math.floor(ctx.clock.now() / 1_000);
  let answer: PostAnswer;
  let isPosted = false;
  try {
    const destination = await destinationOf(ctx.outgoing, target.endpoint);
    const claims = { audience: destination.url.origin, expires: seconds + TOKEN_SECONDS, contact: contactOf(ctx) };
    isPosted = true;
    answer = await postTo(ctx.outgoing, destination, {
      headers: {
        authorization: vapidAuthorization(ctx.keys.vapid, claims),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: `${lastingSeconds(row)}`,
        urgency: row.category === 'messages' || row.type === 'security_alert' ? 'high' : 'normal',
        topic: topicOf(row),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
  } catch (error) {
    // The program ends: the job runs again.
    if (signal.aborted) throw error;
    if (isPosted && isReminder(row)) return 'unknown';
    ctx.log.debug('a push message was not sent', { error });
    // A name can be without addresses for a while, and a server can be away.
    return { retryAfterMs: 0 };
  }
  return outcomeOf(answer);
}

function outcomeOf({ status, retryAfter }: PostAnswer): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 404 || status === 410) return 'gone';
  if (status === 429 || status >= 500) return { retryAfterMs: (wholeNumber(retryAfter) ?? 0) * 1_000 };
  return 'failed';
}

async function settle(tx: Context, push: PlannedPush, outcome: Outcome): Promise<void> {
  const { subscriptionId: id, tries } = push;
  if (outcome === 'unknown') return;
  if (outcome === 'gone') {
    await tx.db.deleteFrom('push_subscriptions').where('id', '=', id).execute();
    return;
  }
  if (outcome === 'delivered') {
    const now = tx.clock.now();
    await tx.db.updateTable('push_subscriptions').set({ failures: 0, pushed_at: now }).where('id', '=', id).execute();
    return;
  }
  if (outcome !== 'failed' && tries + 1 < MOST_TRIES) {
    const delay = Math.max(retryDelay(tries + 1 + SLOWER, tx.random), outcome.retryAfterMs);
    if (delay < TTL_SECONDS * 1_000) {
      await planPush(tx, { ...push, tries: tries + 1 }, tx.clock.now() + delay);
      return;
    }
  }
  const failed = await tx.db
    .updateTable('push_subscriptions')
    .set((e) => ({ failures: e('failures', '+', 1) }))
    .where('id', '=', id)
    .returning('failures')
    .executeTakeFirst();
  if (failed !== undefined && failed.failures >= MOST_FAILURES)
    await tx.db.deleteFrom('push_subscriptions').where('id', '=', id).execute();
}

/** Nobody wants to be reminded of what has begun long ago. */
function lastingSeconds(row: Pick<NotificationRow, 'type'>): number {
  return isReminder(row) ? REMINDER_SECONDS : TTL_SECONDS;
}

function isReminder({ type }: Pick<NotificationRow, 'type'>): boolean {
  return type === 'event_reminder';
}

/** What the browser gets. Its content is shortened rather than left out. */
function messageOf(row: NotificationRow): Uint8Array {
  const { id, type, count } = row;
  const written = (content: string): Uint8Array => utf8(JSON.stringify({ id, type, count, content }));
  const sentence = sentenceOf(row);
  const whole = written(sentence);
  if (whole.length <= longestPush) return whole;
  // JSON writes one code unit as at most six bytes. Half of a character is left out.
  const beginning = sentence.slice(0, Math.floor((longestPush - 200) / 6)).replace(/[\ud800-\udbff]$/, '');
  return written(`${beginning}…`);
}

/** RFC 8030, 5.4: a later message of one notification replaces an earlier one. It tells the push service nothing else. */
function topicOf({ id }: NotificationRow): string {
  return hash('sha256', `conclave/push/topic/v1\0${id}`, 'buffer').toString('base64url').slice(0, 32);
}

function contactOf({ config }: Context): string | undefined {
  const { domain } = config.mail;
  return config.notifications.pushContact ?? (domain === undefined ? undefined : `mailto:postmaster@${domain}`);
}
