/** Sizes and numbers of hubs. */
export const hubLimits = {
  name: 80,
  slug: 64,
  description: 1_000,
  rules: 10_000,
  /** characters of an emoji or an address of a picture */
  icon: 512,
  query: 100,
  reason: 1_000,
  /** hubs that one member owns at the same time */
  owned: 100,
  /** hubs below one hub */
  subHubs: 50,
  /** members that one request adds or removes */
  membersAtOnce: 100,
  /** the longest ban that ends by itself */
  banDays: 3_650,
  /** members of a hub whose content is encrypted for each of them */
  encryptedMembers: 5_000,
  /** hubs that one answer explores */
  explored: 20,
  leaderboard: 100,
} as const;
