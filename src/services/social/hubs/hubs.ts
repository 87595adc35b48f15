import { meets, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { hubs } from '../../../contract/social/hubs.ts';
import type { Hub } from '../../../contract/social/hub.ts';
import { hubLimits } from '../../../contract/social/hubs/limits.ts';
import { assertStillAllowed } from '../../../shared/members/still-signed-in.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { isAtLeast } from '../../../shared/groups/roles.ts';
import { closeRoom, openRoom } from '../../../shared/groups/room.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { requireSelf } from '../people/found.ts';
import { hubIfAny, requireModerator, requireOwner, roomOf } from './access.ts';
import { changingMembers, hubEnded, type Changed } from './changes.ts';
import { record } from './log.ts';
import { forbidden } from './problems.ts';
import { shownHub } from './shown.ts';
import { slugFor, slugTaken } from './slugs.ts';
import { firstTrend } from './trend.ts';

const administrators = { any: ['admin'] } as const;

/** Every member may create hubs; a hub below another one only who moderates that one. */
export async function createHub(ctx: Context, actor: Actor, input: InputOf<typeof hubs.createHub>): Promise<Hub> {
  const hub = { id: recordId(ctx.clock.now(), ctx.random), trust_tier: input.trustTier };
  const joined = [actor.memberId];
  const create = async (tx: Context, changed: Changed): Promise<Hub> => {
    if (input.parentHubId !== undefined) await assertRoomBelow(tx, input.parentHubId);
    await assertMayOwn(tx, actor.memberId);
    if (input.isDefault === true) await assertNoDefault(tx);
    const now = tx.clock.now();
    const { name, description, rules, icon } = input;
    const slug = await slugFor(tx, name, input.slug);
    const row: HubRow = {
      ...hub,
      owner_id: actor.memberId,
      slug,
      name,
      description,
      rules,
      icon,
      search_text: searchText({ name, slug, description }),
      parent_id: input.parentHubId ?? null,
      is_default: input.isDefault === true ? 1 : null,
      post_count: 0,
      trend: firstTrend(now),
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
    await tx.db.insertInto('social_hubs').values(row).execute();
    await openRoom(tx, { ...roomOf(row.id), ownerId: actor.memberId, parentId: input.parentHubId });
    await changed({ hub, joined, reason: 'created' });
    return await shownHub(tx, row);
  };
  return await changingMembers(
    ctx,
    async (before) => {
      await assertMayCreate(before, actor, input);
      return [{ hub, joined }];
    },
    async (tx, changed) => {
      await assertMayCreate(tx, actor, input);
      return await once(tx, async () => await create(tx, changed));
    },
  ).catch(asTaken);
}

async function assertMayCreate(
  ctx: Context,
  actor: Actor,
  { isDefault, parentHubId }: InputOf<typeof hubs.createHub>,
): Promise<void> {
  await requireSelf(ctx, actor);
  await assertMayDefault(ctx, actor, isDefault);
  if (parentHubId !== undefined) await assertParent(ctx, actor, parentHubId);
}

export async function updateHub(
  ctx: Context,
  actor: Actor,
  { id, isDefault, ...changes }: InputOf<typeof hubs.updateHub>,
): Promise<Hub> {
  return await transaction(ctx, async (tx) => {
    const row = await requireModerator(tx, actor, id);
    await assertMayDefault(tx, actor, isDefault);
    if (isDefault === true && row.is_default === null) await assertNoDefault(tx);
    assertTier(row, changes.trustTier);
    const name = changes.name ?? row.name;
    const description = changes.description ?? row.description;
    const changed = {
      name,
      description,
      rules: changes.rules ?? row.rules,
      icon: changes.icon ?? row.icon,
      trust_tier: changes.trustTier ?? row.trust_tier,
      is_default: isDefault === undefined ? row.is_default : isDefault ? 1 : null,
      search_text: searchText({ name, slug: row.slug, description }),
      updated_at: tx.clock.now(),
    };
    await tx.db.updateTable('social_hubs').set(changed).where('id', '=', id).execute();
    await record(tx, actor, { hubId: id, action: 'update' });
    return await shownHub(tx, { ...row, ...changed });
  }).catch(asTaken);
}

/** The hubs below it go too: without it nothing would say who is banned from them. */
export async function deleteHub(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const row = await requireOwner(tx, actor, id);
    const below = await tx.db
      .selectFrom('social_hubs')
      .selectAll()
      .where('parent_id', '=', id)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    for (const one of [row, ...below]) {
      if (one.is_default === 1) throw new Problem('invalid', 'HUB_DEFAULT', 'The default hub cannot be deleted.');
      await endHub(tx, one);
    }
    return null;
  });
}

/** Ends a hub for everybody, in the transaction that decided so. */
async function endHub(tx: Context, hub: HubRow): Promise<void> {
  const { id } = hub;
  await closeRoom(tx, roomOf(id));
  await hubEnded(tx, hub);
  const gone = { slug: null, is_default: null, deleted_at: tx.clock.now() };
  await tx.db.updateTable('social_hubs').set(gone).where('id', '=', id).execute();
}

function searchText({ name, slug, description }: Pick<HubRow, 'name' | 'slug' | 'description'>): string {
  return `${name}\n${slug ?? ''}\n${description}`.normalize('NFC').toLowerCase();
}

async function assertParent(ctx: Context, { memberId }: Actor, parentId: string): Promise<void> {
  const parent = await hubIfAny(ctx, parentId);
  if (parent === undefined) throw invalidParent('There is no such hub.');
  if (parent.parent_id !== null) throw invalidParent('It is below another hub itself.');
  if (!isAtLeast(await roleIn(ctx, roomOf(parentId), memberId), 'moderator'))
    throw forbidden('the owner and the moderators');
}

/** Apart from the right to it, because the first of two same requests may have taken the last place. */
async function assertRoomBelow(tx: Context, parentId: string): Promise<void> {
  const { count } = await tx.db
    .selectFrom('social_hubs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('parent_id', '=', parentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (count >= hubLimits.subHubs)
    throw new Problem('invalid', 'HUB_FULL', `A hub has at most ${hubLimits.subHubs} hubs below it.`);
}

function invalidParent(why: string): Problem {
  return new Problem('invalid', 'HUB_PARENT_INVALID', `parentHubId: ${why}`, {
    fields: [{ path: 'parentHubId', message: why }],
  });
}

/** @throws Problem invalid TOO_MANY_HUBS */
export async function assertMayOwn(tx: Context, memberId: string): Promise<void> {
  const { count } = await tx.db
    .selectFrom('social_hubs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner_id', '=', memberId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (count >= hubLimits.owned)
    throw new Problem('invalid', 'TOO_MANY_HUBS', `A member owns at most ${hubLimits.owned} hubs.`);
}

async function assertMayDefault(ctx: Context, actor: Actor, isDefault: boolean | undefined): Promise<void> {
  if (isDefault === undefined) return;
  if (!meets(actor.type, administrators))
    throw new Problem('forbidden', 'FORBIDDEN', 'Administrators of the node decide which hub is the default.');
  await assertStillAllowed(ctx, actor, administrators);
}

async function assertNoDefault(tx: Context): Promise<void> {
  const other = await tx.db.selectFrom('social_hubs').select('id').where('is_default', '=', 1).executeTakeFirst();
  if (other !== undefined) throw otherDefault();
}

function otherDefault(): Problem {
  return new Problem('invalid', 'HUB_DEFAULT', 'Another hub is the default. Take that from it first.');
}

/** Earlier posts would be readable, or unreadable, against the word that was given when they were written. */
function assertTier(row: HubRow, tier: HubRow['trust_tier'] | undefined): void {
  if (tier === undefined || (tier === 'encrypted') === (row.trust_tier === 'encrypted')) return;
  const words = 'Whether a hub is encrypted was decided when it was created.';
  throw new Problem('invalid', 'HUB_TIER_FIXED', words, { fields: [{ path: 'trustTier', message: words }] });
}

/** Two requests came at once, and a unique key refused this one. */
function asTaken(error: unknown): never {
  if (isUniqueViolation(error, 'slug')) throw slugTaken();
  throw isUniqueViolation(error, 'is_default') ? otherDefault() : error;
}
