import * as v from 'valibot';
import { operation } from '../operation.ts';
import { arrayOrPaged, paged } from '../page.ts';
import { actorField, line, memberId, recordId } from '../text.ts';
import { hub, hubFields, hubSlug, idOrSlug, standing } from './hub.ts';
import { hubLimits } from './hubs/limits.ts';
import { personName } from './person.ts';

const root = '/api/social/hubs';
const one = `${root}/:id`;

const isDefault = v.optional(
  v.pipe(v.boolean('must be true or false'), v.description('for administrators of the node, for one hub at most')),
);

/** Groups with rules, moderators and posts of their own, prefix `/api/social/hubs`. */
export const hubs = {
  createHub: operation({
    id: 'social.create-hub',
    method: 'POST',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'Create a hub, as its owner and first moderator',
    description:
      'Without a slug, one is made from the name. A hub below another is made by an owner or moderator of that one, and has no hubs below itself. ' +
      'Whether a hub is `encrypted` cannot be changed later.',
    input: v.object({
      ownerId: actorField,
      name: hubFields.name,
      slug: v.optional(hubSlug),
      description: v.optional(hubFields.description, ''),
      rules: v.optional(hubFields.rules, ''),
      trustTier: v.optional(hubFields.trustTier, 'open'),
      parentHubId: v.optional(recordId),
      icon: v.optional(hubFields.icon, ''),
      isDefault,
    }),
    reply: hub,
    status: 201,
    message: 'Hub created',
    errors: ['FORBIDDEN', 'HUB_SLUG_TAKEN', 'HUB_PARENT_INVALID', 'HUB_DEFAULT', 'HUB_FULL', 'TOO_MANY_HUBS'],
  }),
  listHubs: operation({
    id: 'social.hubs',
    method: 'GET',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'List the hubs that you are a member of, in the order of their ids',
    description: 'In the order in which they were created. Other members do not see which hubs you are in.',
    ...arrayOrPaged({ name: 'hubs', of: hub, filter: { userId: actorField } }),
    status: 200,
    message: 'Your hubs',
  }),
  exploreHubs: operation({
    id: 'social.explore-hubs',
    method: 'GET',
    path: `${root}/explore`,
    envelope: 'social',
    auth: 'member',
    summary: 'Find hubs of this node',
    description:
      'Hubs that you are banned from are missing. `trending`: what is done there counts half after three days; `suggested`: hubs that you are no ' +
      'member of, the default hub first, then as `trending`.',
    ...paged({
      name: 'hubs',
      of: hub,
      filter: {
        userId: actorField,
        sort: v.optional(
          v.picklist(['trending', 'new', 'suggested'], 'must be one of trending, new, suggested'),
          'trending',
        ),
        q: v.optional(v.pipe(line(hubLimits.query), v.description('part of the name, the slug or the description'))),
      },
      limit: hubLimits.explored,
    }),
    status: 200,
    message: 'Hubs',
  }),
  showHub: operation({
    id: 'social.hub',
    method: 'GET',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Show a hub, and the hubs below it',
    description: 'Every member of the node may see what a hub is about. Its posts are for its members.',
    input: v.object({
      id: idOrSlug,
      userId: actorField,
      sort: v.optional(
        v.pipe(
          v.picklist(['hot', 'new', 'top'], 'must be one of hot, new, top'),
          v.description('of the hubs below: by what is done there, by age, or by members'),
        ),
        'hot',
      ),
    }),
    reply: v.object({ hub, isMember: v.boolean(), subHubs: v.array(hub) }),
    status: 200,
    message: 'Hub',
    errors: ['HUB_NOT_FOUND'],
  }),
  updateHub: operation({
    id: 'social.update-hub',
    method: 'PUT',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Change what a hub says of itself',
    description: 'For its owner and moderators. Fields that are left out stay. The slug stays as it is.',
    input: v.object({
      id: recordId,
      userId: actorField,
      name: v.optional(hubFields.name),
      description: v.optional(hubFields.description),
      rules: v.optional(hubFields.rules),
      trustTier: v.optional(hubFields.trustTier),
      icon: v.optional(hubFields.icon),
      isDefault,
    }),
    reply: hub,
    status: 200,
    message: 'Hub updated',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'HUB_TIER_FIXED', 'HUB_DEFAULT'],
  }),
  deleteHub: operation({
    id: 'social.delete-hub',
    method: 'DELETE',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Delete a hub with the hubs below it',
    description:
      'For its owner, and not for the default hub. All memberships end. Posts that are in no other hub stay with their authors alone. The keys of an ' +
      'encrypted hub are destroyed, so its posts are gone for everybody.',
    input: v.object({ id: recordId, ownerId: actorField }),
    reply: v.null(),
    status: 204,
    message: 'Hub deleted',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'HUB_DEFAULT'],
  }),
  transferHub: operation({
    id: 'social.transfer-hub',
    method: 'POST',
    path: `${one}/transfer`,
    envelope: 'social',
    auth: 'member',
    summary: 'Make a member of a hub its owner',
    description: 'For its owner, who is a moderator from then on.',
    input: v.object({ id: recordId, ownerId: actorField, newOwnerId: personName }),
    reply: v.object({ hubId: recordId, newOwnerId: memberId }),
    status: 200,
    message: 'Hub transferred',
    errors: ['FORBIDDEN', 'HUB_NOT_FOUND', 'MEMBER_NOT_FOUND', 'HUB_MEMBER_NOT_FOUND', 'TOO_MANY_HUBS'],
  }),
  listSubHubs: operation({
    id: 'social.sub-hubs',
    method: 'GET',
    path: `${one}/sub-hubs`,
    envelope: 'social',
    auth: 'member',
    summary: 'List the hubs below a hub, the oldest first',
    description: 'In the order in which they were made. A sub-hub has no sub-hubs.',
    input: v.object({ id: recordId }),
    reply: v.object({ hubs: v.array(hub) }),
    status: 200,
    message: 'Hubs below the hub',
    errors: ['HUB_NOT_FOUND'],
  }),
  showStanding: operation({
    id: 'social.hub-standing',
    method: 'GET',
    path: `${one}/standing`,
    envelope: 'social',
    auth: 'member',
    summary: 'Show your role in a hub, and bans and warnings that concern you',
    description: 'Whether you are a member, your role, and warnings and bans. Who decided is not said.',
    input: v.object({ id: recordId }),
    reply: standing,
    status: 200,
    message: 'Your standing',
    errors: ['HUB_NOT_FOUND'],
  }),
};
