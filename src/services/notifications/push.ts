import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import type { PushSubscription } from '../../contract/notifications/push.ts';
import { isP256Point } from '../../crypto/p256.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { bytesOf, endpointTag, sealTarget } from '../../shared/notifications/push/sealed.ts';
import { destinationOf, OutgoingRefused } from '../../platform/outbound/post.ts';
import { fieldProblem, fieldsProblem, Problem } from '../../base/problem.ts';
import { once } from '../../service/repeats.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { PushSubscriptionRow } from '../../platform/store/tables/notifications.ts';

/** Characters of a browser's name that are kept. */
const LONGEST_AGENT = 200;

export async function vapidKey(ctx: Context): Promise<{ publicKey: string }> {
  assertPush(ctx);
  return { publicKey: Buffer.from(ctx.keys.vapid.publicKey).toString('base64url') };
}

export async function listSubscriptions(ctx: Context, actor: Actor): Promise<{ subscriptions: PushSubscription[] }> {
  const rows = await ctx.db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('member_id', '=', actor.memberId)
    .orderBy('id', 'desc')
    .execute();
  return { subscriptions: rows.map((row) => shown(row, actor)) };
}

interface Given {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export async function subscribe(
  ctx: Context,
  actor: Actor,
  { endpoint, keys }: Given,
): Promise<{ subscription: PushSubscription }> {
  // The subscription ends with the session, and the operator has none.
  if (actor.sessionId === '') throw new Problem('forbidden', 'FORBIDDEN', 'Sign in as a member to get push messages.');
  assertPush(ctx);
  const target = { endpoint, p256dh: bytesOf(keys.p256dh), auth: bytesOf(keys.auth) };
  if (!isP256Point(target.p256dh)) throw fieldProblem('keys.p256dh', 'must be a point on P-256');
  const origin = await publicOrigin(ctx, endpoint);
  return await transaction(ctx, async (tx) => {
    // To resolve the name took time.
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => ({ subscription: await stored(tx, actor, origin, target) }));
  });
}

interface Target {
  readonly endpoint: string;
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

async function stored(tx: Context, actor: Actor, origin: string, target: Target): Promise<PushSubscription> {
  const { memberId, sessionId, userAgent } = actor;
  const now = tx.clock.now();
  const tag = endpointTag(tx, target.endpoint);
  const own = await tx.db
    .selectFrom('push_subscriptions')
    .select(['id', 'endpoint_tag', 'created_at', 'pushed_at'])
    .where('member_id', '=', memberId)
    .execute();
  const before = own.find((one) => one.endpoint_tag === tag);
  if (before === undefined && own.length >= notificationLimits.subscriptions)
    throw new Problem(
      'conflict',
      'PUSH_SUBSCRIPTIONS_FULL',
      `You have ${notificationLimits.subscriptions} browsers that get push messages. End one first.`,
    );
  const id = before?.id ?? recordId(now, tx.random);
  const row: PushSubscriptionRow = {
    id,
    member_id: memberId,
    session_id: sessionId,
    endpoint_tag: tag,
    origin,
    sealed: sealTarget(tx, id, target),
    user_agent: userAgent.slice(0, LONGEST_AGENT),
    failures: 0,
    created_at: before?.created_at ?? now,
    pushed_at: before?.pushed_at ?? null,
  };
  const { id: _, ...columns } = row;
  await tx.db
    .insertInto('push_subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['member_id', 'endpoint_tag']).doUpdateSet(columns))
    .execute();
  return shown(row, actor);
}

interface Named {
  readonly endpoint?: string | undefined;
  readonly subscriptionId?: string | undefined;
}

export async function unsubscribe(
  ctx: Context,
  { memberId }: Actor,
  { endpoint, subscriptionId }: Named,
): Promise<{ subscriptionId: string }> {
  if ((endpoint === undefined) === (subscriptionId === undefined))
    throw fieldsProblem([
      { path: 'endpoint', message: 'name the endpoint or the subscriptionId, and one of them alone' },
    ]);
  return await transaction(ctx, async (tx) => {
    let gone = tx.db.deleteFrom('push_subscriptions').where('member_id', '=', memberId);
    if (subscriptionId !== undefined) gone = gone.where('id', '=', subscriptionId);
    if (endpoint !== undefined) gone = gone.where('endpoint_tag', '=', endpointTag(tx, endpoint));
    const row = await gone.returning('id').executeTakeFirst();
    // The same for one that doesn't exist and one of somebody else.
    if (row === undefined)
      throw new Problem('missing', 'PUSH_SUBSCRIPTION_NOT_FOUND', 'You have no such push subscription.');
    return { subscriptionId: row.id };
  });
}

function assertPush({ config }: Context): void {
  if (!config.notifications.push) throw new Problem('conflict', 'PUSH_DISABLED', 'This node sends no push messages.');
}

/** One answer for all reasons, so that nobody learns which names a private network has. */
async function publicOrigin({ outgoing }: Context, endpoint: string): Promise<string> {
  try {
    const { url } = await destinationOf(outgoing, endpoint);
    return url.origin;
  } catch (error) {
    if (!(error instanceof OutgoingRefused)) throw error;
    const message = 'must be an https URL at a public address';
    throw fieldProblem('endpoint', message, { code: 'PUSH_ENDPOINT_REFUSED', cause: error });
  }
}

function shown(row: PushSubscriptionRow, { sessionId }: Actor): PushSubscription {
  return {
    id: row.id,
    origin: row.origin,
    userAgent: row.user_agent,
    current: row.session_id === sessionId,
    createdAt: new Date(row.created_at).toISOString(),
    pushedAt: row.pushed_at === null ? null : new Date(row.pushed_at).toISOString(),
  };
}
