import type { SocialProfileRow } from '../../platform/store/tables/social.ts';

/** The profile that every new member has in the social network. */
export function newSocialProfile(memberId: string, username: string, nowMs: number): SocialProfileRow {
  return {
    member_id: memberId,
    display_name: username,
    bio: '',
    location: '',
    website: '',
    approve_mode: 'approve_none',
    privacy: '{}',
    picture_id: null,
    header_id: null,
    protected: 0,
    verified: 0,
    follower_count: 0,
    following_count: 0,
    post_count: 0,
    created_at: nowMs,
    updated_at: nowMs,
  };
}
