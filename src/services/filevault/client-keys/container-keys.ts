import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { ECIES_SUITE, ECIES_VERSION } from '../../../crypto/ecies.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { administeredBy, isAdministered } from '../access/administered.ts';
import { requireContainer } from '../access/containers.ts';
import { grantedIn } from '../access/passages.ts';
import { record } from '../audit.ts';
import { containerLocked, flagMissing, ownerAlone } from '../problems.ts';
import {
  dropLapsedKeys,
  isOutdated,
  keyNotGiven,
  membersWithAccess,
  newestKey,
  notClientEncrypted,
} from './generations.ts';

interface Holder {
  readonly memberId: string;
  readonly username: string;
  readonly publicKey: string;
  numbers: number[];
}

interface Keys {
  readonly newest: number;
  readonly outdated: boolean;
  keys: { number: number; wrapped: string; signature: string }[];
  members?: Holder[];
}

export async function showKeys(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Keys> {
  const container = await requireClientContainer(ctx, actor, id);
  const newest = await newestKey(ctx, id);
  const own = await ctx.db
    .selectFrom('file_member_keys as m')
    .innerJoin('file_client_keys as k', (join) =>
      join.onRef('k.container_id', '=', 'm.container_id').onRef('k.number', '=', 'm.number'),
    )
    .select(['m.number', 'm.wrapped', 'k.signature'])
    .where('m.container_id', '=', id)
    .where('m.member_id', '=', actor.memberId)
    .orderBy('m.number')
    .execute();
  return {
    newest: newest?.number ?? 0,
    outdated: newest !== undefined && (await isOutdated(ctx, container, newest)),
    keys: own.map(({ number, wrapped, signature }) => ({
      number,
      wrapped: toHex(wrapped),
      signature: toHex(signature),
    })),
    ...((await mayGiveKeys(ctx, actor, container)) && { members: await holdersOf(ctx, actor, container) }),
  };
}

/** Ids of members in one record. A key that is made is given to everybody at once, a key that is given usually to one member. */
const RECORDED = 50;

interface NewKeys {
  readonly id: string;
  readonly newest: number;
  readonly number: number;
  readonly signature?: string | undefined;
  readonly wraps: readonly { readonly memberId: string; readonly wrapped: string }[];
}

export async function addKeys(ctx: Context, actor: Actor, input: NewKeys): Promise<{ newest: number }> {
  return await transaction(ctx, async (tx) => {
    const container = await requireClientContainer(tx, actor, input.id);
    if (!(await mayGiveKeys(tx, actor, container))) throw flagMissing('admin');
    return await once(tx, async () => await storeKeys(tx, actor, container, input));
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'number') ? keyChanged() : error;
  });
}

async function storeKeys(
  tx: Context,
  actor: Actor,
  container: FileContainerRow,
  input: NewKeys,
): Promise<{ newest: number }> {
  if (container.state === 'locked') throw containerLocked();
  const newest = (await newestKey(tx, container.id))?.number ?? 0;
  // Of two clients that make a key at once, the second must not give its own key under the number of the first.
  if (newest !== input.newest) throw keyChanged();
  await assertWraps(tx, actor, container, input);
  if (input.number === newest + 1) await insertKey(tx, actor, container, input);
  else await assertHas(tx, actor, input);
  const rows = input.wraps.map(({ memberId, wrapped }) => ({
    container_id: container.id,
    number: input.number,
    member_id: memberId,
    wrapped: fromHex(wrapped),
  }));
  // Otherwise another administrator could put something that opens nothing in the place of a wrap.
  const there = container.owner_id === actor.memberId ? 'update set wrapped = excluded.wrapped' : 'nothing';
  await insertRows(tx.db, 'file_member_keys', rows, `on conflict (container_id, number, member_id) do ${there}`);
  await record(tx, actor, {
    action: 'KEYS_ADDED',
    containerId: container.id,
    metadata: {
      number: input.number,
      made: input.number === newest + 1,
      members: input.wraps.length,
      recipients: input.wraps
        .slice(0, RECORDED)
        .map(({ memberId }) => memberId)
        .join(' '),
    },
  });
  return { newest: Math.max(newest, input.number) };
}

/** The owner alone makes keys: the signature is how the other members know that a key is not the node's. */
async function insertKey(tx: Context, actor: Actor, container: FileContainerRow, input: NewKeys): Promise<void> {
  const { number, signature, wraps } = input;
  if (container.owner_id !== actor.memberId) throw ownerAlone();
  if (signature === undefined) throw fieldProblem('signature', 'is needed for a new key');
  if (!wraps.some(({ memberId }) => memberId === container.owner_id))
    throw fieldProblem('wraps', 'must have one for the owner of the container');
  await dropLapsedKeys(tx, container);
  await tx.db
    .insertInto('file_client_keys')
    .values({
      container_id: container.id,
      number,
      signature: fromHex(signature),
      created_at: tx.clock.now(),
      retired_at: null,
    })
    .execute();
}

/** Nobody gives what they don't have. @throws Problem conflict KEY_MISSING */
async function assertHas({ db }: Context, actor: Actor, { id, number }: NewKeys): Promise<void> {
  const own = await db
    .selectFrom('file_member_keys')
    .select('number')
    .where('container_id', '=', id)
    .where('number', '=', number)
    .where('member_id', '=', actor.memberId)
    .executeTakeFirst();
  if (own === undefined) throw keyNotGiven();
}

/** @throws Problem invalid VALIDATION_ERROR */
async function assertWraps(tx: Context, actor: Actor, container: FileContainerRow, { wraps }: NewKeys): Promise<void> {
  const access = await membersToKnow(tx, actor, container);
  const seen = new Set<string>();
  for (const [index, { memberId, wrapped }] of wraps.entries()) {
    if (!access.has(memberId)) throw fieldProblem(`wraps.${index}.memberId`, 'has no access to the container');
    if (seen.has(memberId)) throw fieldProblem(`wraps.${index}.memberId`, 'is named twice');
    seen.add(memberId);
    const [version, suite] = fromHex(wrapped);
    if (version !== ECIES_VERSION || suite !== ECIES_SUITE)
      throw fieldProblem(`wraps.${index}.wrapped`, 'must be an ECIES message of suite 1');
  }
}

/** @throws Problem as `requireContainer` does; conflict NOT_CLIENT_ENCRYPTED */
async function requireClientContainer(ctx: Context, actor: Actor, id: string): Promise<FileContainerRow> {
  const container = await requireContainer(ctx, actor, id);
  if (container.client_encrypted !== 1) throw notClientEncrypted();
  return container;
}

/** Whoever can grant access somewhere in the container gives keys, too: one key is for all of it. */
async function mayGiveKeys(ctx: Context, actor: Actor, container: FileContainerRow): Promise<boolean> {
  if (container.owner_id === actor.memberId) return true;
  return [...(await grantedIn(ctx, actor, container.id)).values()].some((flags) => flags.has('admin'));
}

/** Those with access of whom the actor may know: all of them for the owner, and otherwise those in lists that the actor administers. */
async function membersToKnow(ctx: Context, actor: Actor, container: FileContainerRow): Promise<ReadonlySet<string>> {
  if (container.owner_id === actor.memberId) return await membersWithAccess(ctx, container);
  return await membersWithAccess(ctx, container, isAdministered('e.node_id', await administeredBy(ctx, actor)));
}

async function holdersOf(ctx: Context, actor: Actor, container: FileContainerRow): Promise<Holder[]> {
  const ids = [...(await membersToKnow(ctx, actor, container))];
  const names = await memberSummaries(ctx, ids);
  const wraps = await ctx.db
    .selectFrom('file_member_keys')
    .select(['member_id', 'number'])
    .where('container_id', '=', container.id)
    .orderBy('number')
    .execute();
  const numbers = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (const { member_id, number } of wraps) numbers.get(member_id)?.push(number);
  return (await publicKeysOf(ctx, ids)).map(({ memberId, publicKey }) => ({
    memberId,
    username: names.get(memberId)?.username ?? memberId,
    publicKey: toHex(publicKey),
    numbers: numbers.get(memberId) ?? [],
  }));
}

function keyChanged(): Problem {
  return new Problem('conflict', 'KEY_CHANGED', 'Another client has made a key of the container meanwhile. Try again.');
}
