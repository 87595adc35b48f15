import { randomBytes } from 'node:crypto';
import type { HubRow } from '../../src/store/tables/hubs.ts';
import type { RoomRow } from '../../src/store/tables/rooms.ts';
import type { SocialFollowRow, SocialPostRow } from '../../src/store/tables/social.ts';
import type { MemberRow } from '../../src/store/tables/tables.ts';

export const memberId = (at: number): string => `b${at.toString(16).padStart(23, '0')}`;

export function memberRow(at: number, now: number): MemberRow {
  const id = memberId(at);
  const name = `member${at}`;
  return {
    id,
    username: name,
    username_key: name,
    email: `${name}@bench.example`,
    email_key: `${name}@bench.example`,
    type: 'User',
    status: 'active',
    public_key: randomBytes(33).toString('hex'),
    mnemonic_tag: id,
    email_verified: 0,
    created_at: now,
    created_by: id,
    updated_at: now,
    role_updated_at: now,
    role_updated_by: id,
    last_login_at: null,
  };
}

export function followRow(follower: string, followee: string, now: number): SocialFollowRow {
  return { follower_id: follower, followee_id: followee, requested: 0, message: '', created_at: now };
}

export function postRow(
  id: string,
  author: string,
  more: Pick<SocialPostRow, 'content' | 'audience' | 'engagement' | 'controversy' | 'created_at'>,
): SocialPostRow {
  return {
    id,
    author_id: author,
    kind: 'original',
    parent_id: null,
    root_id: null,
    depth: 0,
    subject_id: null,
    warning: '',
    sensitive: 0,
    mentions: '{}',
    sealed: null,
    sealed_in: null,
    epoch: null,
    first_epoch: null,
    revision: null,
    counted: 0,
    like_count: more.engagement,
    repost_count: 0,
    reply_count: 0,
    quote_count: 0,
    upvote_count: 0,
    downvote_count: 0,
    updated_at: more.created_at,
    edited_at: null,
    deleted_at: null,
    ...more,
  };
}

/** A hub and its room. */
export function hubRows(id: string, owner: string, members: number, now: number): { hub: HubRow; room: RoomRow } {
  const name = `Hub ${id}`;
  return {
    hub: {
      id,
      owner_id: owner,
      slug: `hub-${id}`,
      name,
      description: '',
      rules: '',
      icon: '',
      search_text: name.toLowerCase(),
      trust_tier: 'open',
      parent_id: null,
      is_default: null,
      post_count: 0,
      trend: 0,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    },
    room: { kind: 'hub', id, parent_id: null, member_count: members, changes: 0, created_at: now },
  };
}
