/** Rate limits. */
export const socialRates = {
  socialPost: {
    key: 'social_post',
    perAccount: { rate: '300/5m', text: 'Posts, replies, reposts and quotes of one member, and changes of them' },
  },
  socialReaction: {
    key: 'social_reaction',
    perAccount: { rate: '900/5m', text: 'Likes and votes of one member' },
  },
  socialMembership: {
    key: 'social_membership',
    perAccount: {
      rate: '60/1h',
      text: 'Hubs that one member joins and leaves: an encrypted hub has a new key for all its members each time',
    },
  },
  socialFeed: {
    key: 'social_feed',
    perAddress: { rate: '300/5m', text: 'RSS feeds to one address' },
  },
  socialTransfer: {
    key: 'social_transfer',
    perAccount: { rate: '20/1h', text: 'Imports, exports and archives of one member' },
  },
} as const;

/** Sizes and numbers of the social network. Services import them too. */
export const socialLimits = {
  /** grapheme clusters of a post */
  post: 280,
  /** grapheme clusters of a post in hubs */
  hubPost: 10_000,
  /** UTF-8 bytes for each grapheme cluster that is allowed; see `mostBytes` */
  bytesPerGrapheme: 16,
  /** posts above a reply, the first one of the thread included */
  depth: 10,
  media: 4,
  hubs: 5,
  mentions: 50,
  hashtags: 30,
  hashtag: 100,
  warning: 200,
  displayName: 50,
  bio: 160,
  location: 100,
  website: 200,
  /** characters of the text that goes with a request to follow */
  requestMessage: 300,
  reportReason: 1_000,
  follows: 10_000,
  /** lists of a member, and as many categories */
  lists: 100,
  listName: 100,
  /** members of a list */
  listMembers: 5_000,
  /** members that are added or removed at once */
  listedAtOnce: 100,
  bookmarks: 50_000,
  filters: 100,
  /** characters of what a filter looks for */
  filterPhrase: 100,
  /** items of an RSS feed */
  rssItems: 20,
  /** bytes of a file to import */
  importBytes: 1024 * 1024,
  /** rows of a file to import */
  importRows: 20_000,
  /** refused rows that the report of an import names */
  importReport: 200,
  /** how long an archive can be downloaded */
  archiveMs: 7 * 24 * 60 * 60 * 1000,
  /** posts of a timeline on a page */
  page: 20,
  mostOnPage: 50,
  /** characters of the text of a search */
  searchText: 500,
  /** conditions of a search, such as `from:`, beside its words */
  searchConditions: 20,
  /** replies of a thread in one answer */
  thread: 500,
  /** how long after it was written a post can be edited */
  editMs: 15 * 60 * 1000,
} as const;

/** What a post can have, for `has:` in a search. */
export const searchedKinds = ['media', 'image', 'video', 'audio', 'link'] as const;
export type SearchedKind = (typeof searchedKinds)[number];

/** The largest text of a post in UTF-8 bytes, so that a flood of combining characters is refused before it is counted. */
export function mostBytes(graphemes: number): number {
  return graphemes * socialLimits.bytesPerGrapheme;
}

/** How long a mute can be; `permanent` has no end. */
export const muteDurations = {
  '1h': 3_600_000,
  '8h': 28_800_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  permanent: undefined,
} as const;
export type MuteDuration = keyof typeof muteDurations;

/** How long ago the posts of the order `top` may have been written. */
export const topWindows = {
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  all: undefined,
} as const;
export type TopWindow = keyof typeof topWindows;

export const followerApprovals = ['approve_all', 'approve_non_mutuals', 'approve_none'] as const;
export type FollowerApproval = (typeof followerApprovals)[number];
