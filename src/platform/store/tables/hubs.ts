import type { TrustTier } from '../../../contract/social/hub.ts';

export interface HubTables {
  social_hubs: HubRow;
  social_post_hubs: PostHubRow;
  social_hub_scores: HubScoreRow;
}

/** Its members are the room of the kind `hub` with its id. */
export interface HubRow {
  id: string;
  owner_id: string;
  /** unique; null when the hub is deleted, so that another can have it */
  slug: string | null;
  name: string;
  description: string;
  rules: string;
  icon: string;
  /** name, slug and description, in lower case */
  search_text: string;
  trust_tier: TrustTier;
  parent_id: string | null;
  /** 1 at most once among the rows, null for all others */
  is_default: number | null;
  post_count: number;
  /** see trend.ts */
  trend: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

/** Which hubs a post is in. Primary key: hub_id, post_id. Ids of posts sort by time. */
export interface PostHubRow {
  hub_id: string;
  post_id: string;
  /** 1 if the feed of the hub has it, 0 for a reply */
  listed: number;
  /** likes, replies and reposts, as in the row of the post */
  engagement: number;
  /** as in the row of the post */
  controversy: number;
}

/** What an author has done in a hub. Primary key: hub_id, member_id. */
export interface HubScoreRow {
  hub_id: string;
  member_id: string;
  score: number;
  post_count: number;
  upvotes: number;
  last_active_at: number;
}
