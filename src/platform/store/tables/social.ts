import type { Audience, PostType } from '../../../contract/social/post.ts';
import type { FollowerApproval } from '../../../contract/social/limits.ts';
import type { ReportState } from '../../../contract/social/reports.ts';

export interface SocialTables {
  social_profiles: SocialProfileRow;
  social_follows: SocialFollowRow;
  social_posts: SocialPostRow;
  social_post_tags: SocialPostTagRow;
  social_likes: SocialLikeRow;
  /** likes that their authors are not told of yet */
  social_untold_likes: SocialUntoldLikeRow;
  social_votes: SocialVoteRow;
  social_reports: SocialReportRow;
}

/** Every member has one. */
export interface SocialProfileRow {
  member_id: string;
  display_name: string;
  bio: string;
  location: string;
  website: string;
  approve_mode: FollowerApproval;
  /** JSON of the settings that are on */
  privacy: string;
  protected: number;
  verified: number;
  follower_count: number;
  following_count: number;
  post_count: number;
  created_at: number;
  updated_at: number;
  /** of social_media */
  picture_id: string | null;
  header_id: string | null;
}

/** A follows B, or asks to. */
export interface SocialFollowRow {
  follower_id: string;
  followee_id: string;
  requested: number;
  message: string;
  created_at: number;
}

export interface SocialPostRow {
  id: string;
  author_id: string;
  kind: PostType;
  audience: Audience;
  /** of a reply: what it answers, also if that is deleted */
  parent_id: string | null;
  /** of a reply: the first post of its thread */
  root_id: string | null;
  /** posts above it */
  depth: number;
  /** of a repost or quote */
  subject_id: string | null;
  content: string;
  warning: string;
  sensitive: number;
  /** JSON: ids of members by the username as it stands in the text, in lower case */
  mentions: string;
  /** of a post in an encrypted hub: its text, warning and mentions, which are empty beside it */
  sealed: Uint8Array | null;
  /** the hub whose key seals it, the epoch of the key, the epoch in which it was written, and how often it was sealed anew */
  sealed_in: string | null;
  epoch: number | null;
  first_epoch: number | null;
  revision: number | null;
  /** whether the counters of its parent or subject count it */
  counted: number;
  like_count: number;
  repost_count: number;
  reply_count: number;
  quote_count: number;
  upvote_count: number;
  downvote_count: number;
  /** likes, reposts and replies */
  engagement: number;
  /** votes / (1 + |score|) */
  controversy: number;
  created_at: number;
  updated_at: number;
  edited_at: number | null;
  deleted_at: number | null;
}

export interface SocialPostTagRow {
  tag: string;
  post_id: string;
  /** as in the row of the post */
  engagement: number;
}

export interface SocialLikeRow {
  post_id: string;
  member_id: string;
  created_at: number;
}

export interface SocialUntoldLikeRow extends SocialLikeRow {
  /** of the post */
  author_id: string;
}

export interface SocialVoteRow extends SocialLikeRow {
  /** 1 or -1 */
  value: number;
}

export interface SocialReportRow {
  id: string;
  post_id: string;
  reporter_id: string;
  hub_id: string | null;
  reason: string;
  status: ReportState;
  reviewed_by: string | null;
  reviewed_at: number | null;
  created_at: number;
}
