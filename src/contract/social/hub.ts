import * as v from 'valibot';
import { givenName, line, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { hubLimits } from './hubs/limits.ts';
import { keepsDirection, visible } from '../shown-text.ts';

export const trustTiers = ['open', 'verified', 'encrypted'] as const;
export type TrustTier = (typeof trustTiers)[number];

export const hubRoles = ['owner', 'moderator', 'member'] as const;
export type HubRole = (typeof hubRoles)[number];

/** What moderators and owners do, as the log names it. The first three are the severities. */
export const hubActions = [
  'warning',
  'temp_ban',
  'permanent_ban',
  'unban',
  'add_member',
  'remove_member',
  'add_moderator',
  'remove_moderator',
  'remove_post',
  'update',
  'transfer',
] as const;
export type HubAction = (typeof hubActions)[number];

const slugRule = `must be 2 to ${hubLimits.slug} of a-z, 0-9 and single hyphens inside, and no id`;

/** A name in addresses. An id is none, so that a hub is found by either. Upper case counts as lower case. */
export const hubSlug = v.pipe(
  v.string('must be text'),
  v.maxLength(hubLimits.slug, slugRule),
  v.toLowerCase(),
  v.minLength(2, slugRule),
  v.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, slugRule),
  // It would be an id, or the path of another operation.
  v.check((slug) => slug !== 'explore' && !/^[0-9a-f]{32}$/.test(slug), slugRule),
);

export const idOrSlug = v.pipe(line(hubLimits.slug), v.toLowerCase(), v.description('id or slug of a hub'));

export const hubFields = {
  name: v.pipe(givenName(hubLimits.name), v.trim(), visible, keepsDirection),
  description: paragraph(hubLimits.description),
  rules: paragraph(hubLimits.rules),
  trustTier: v.pipe(
    v.picklist(trustTiers, `must be one of ${trustTiers.join(', ')}`),
    v.description(
      '`open`: every member of the hub may post; `verified`: only those with a verified identity; `encrypted`: what posts say is encrypted under a key that changes with the members',
    ),
  ),
  icon: v.union([
    v.literal(''),
    v.pipe(
      line(hubLimits.icon),
      visible,
      keepsDirection,
      // Clients show it as a picture, so an address of another kind could be a script.
      v.regex(/^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/|[^:]*$)/, 'must be an emoji, or begin with https:// or http://'),
    ),
  ]),
};

export const hub = v.object({
  _id: recordId,
  ownerId: memberId,
  slug: v.string(),
  name: v.string(),
  description: v.string(),
  rules: v.string(),
  memberCount: v.number(),
  postCount: v.number(),
  isDefault: v.pipe(v.boolean(), v.description('the hub that new members are suggested first; it cannot be deleted')),
  trustTier: v.picklist(trustTiers),
  moderatorIds: v.pipe(
    v.array(memberId),
    v.description('the owner and the moderators, in the order in which they joined'),
  ),
  parentHubId: v.nullable(recordId),
  icon: v.pipe(v.string(), v.description('empty without one')),
  createdAt: timestamp,
});
export type Hub = v.InferOutput<typeof hub>;

/** What the caller is in a hub. */
export const standing = v.object({
  hubId: recordId,
  role: v.pipe(v.optional(v.picklist(hubRoles)), v.description('missing for who is no member')),
  mayPost: v.boolean(),
  ban: v.optional(
    v.object({
      hubId: v.pipe(recordId, v.description('the hub, or the hub above it')),
      reason: v.optional(v.string()),
      bannedAt: timestamp,
      expiresAt: v.pipe(v.optional(timestamp), v.description('missing if a moderator has to lift it')),
    }),
  ),
  warnings: v.pipe(
    v.array(v.object({ reason: v.string(), createdAt: timestamp })),
    v.description('the latest ten, the latest first'),
  ),
});
export type Standing = v.InferOutput<typeof standing>;
