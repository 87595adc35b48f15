import * as v from 'valibot';
import { memberId, timestamp } from '../text.ts';
import { followerApprovals, socialLimits } from './limits.ts';

/** How posts and people name a member: by id or username, in any case. E-mail addresses are no names here, so that nobody can try them. */
export const personName = v.pipe(
  v.string('must be text'),
  v.minLength(3, 'must be an id or a username'),
  v.maxLength(32, 'must be an id or a username'),
  v.regex(/^[A-Za-z0-9_-]+$/, 'must be an id or a username'),
  v.description('id or username'),
);

export const byPerson = v.object({ id: personName });

const setting = (text: string) => v.pipe(v.boolean('must be true or false'), v.description(text));

const privacy = {
  hideFollowerCount: setting('others do not see the number of your followers'),
  hideFollowingCount: setting('others do not see how many you follow'),
  hideFollowersFromNonFollowers: setting('only your followers see who follows you'),
  hideFollowingFromNonFollowers: setting('only your followers see whom you follow'),
  allowDmsFromNonFollowers: setting('members who do not follow you may write to you'),
  showOnlineStatus: setting('others see whether you are online'),
  showReadReceipts: setting('others see whether you read their messages'),
};
const privacySettings = v.object(privacy);
export type PrivacySettings = v.InferOutput<typeof privacySettings>;

/** What to change; the other settings stay. */
export const privacyChange = v.strictObject({
  hideFollowerCount: v.optional(privacy.hideFollowerCount),
  hideFollowingCount: v.optional(privacy.hideFollowingCount),
  hideFollowersFromNonFollowers: v.optional(privacy.hideFollowersFromNonFollowers),
  hideFollowingFromNonFollowers: v.optional(privacy.hideFollowingFromNonFollowers),
  allowDmsFromNonFollowers: v.optional(privacy.allowDmsFromNonFollowers),
  showOnlineStatus: v.optional(privacy.showOnlineStatus),
  showReadReceipts: v.optional(privacy.showReadReceipts),
});

/** A member in a list. */
export const person = v.object({
  _id: memberId,
  username: v.string(),
  displayName: v.string(),
  profilePictureUrl: v.optional(v.string()),
  isVerified: v.boolean(),
  isProtected: v.boolean(),
});
export type Person = v.InferOutput<typeof person>;

export const approvalMode = v.picklist(followerApprovals, `must be one of ${followerApprovals.join(', ')}`);

export const profile = v.object({
  ...person.entries,
  bio: v.string(),
  headerImageUrl: v.optional(v.string()),
  location: v.string(),
  websiteUrl: v.string(),
  followerCount: v.pipe(v.optional(v.number()), v.description('missing if the member hides it from the caller')),
  followingCount: v.pipe(v.optional(v.number()), v.description('missing if the member hides it from the caller')),
  postCount: v.number(),
  approveFollowersMode: approvalMode,
  privacySettings,
  createdAt: timestamp,
  following: v.pipe(
    v.picklist(['no', 'requested', 'yes']),
    v.description('whether the caller follows this member, or has asked to'),
  ),
  followsYou: v.boolean(),
  blocked: v.pipe(v.boolean(), v.description('whether the caller blocked this member')),
  muted: v.pipe(v.boolean(), v.description('whether the caller muted this member')),
});
export type Profile = v.InferOutput<typeof profile>;

export const followRequest = v.object({
  _id: v.pipe(memberId, v.description('the member who asks')),
  person,
  message: v.pipe(v.string(), v.description(`at most ${socialLimits.requestMessage} characters; empty without one`)),
  createdAt: timestamp,
});
export type FollowRequest = v.InferOutput<typeof followRequest>;
