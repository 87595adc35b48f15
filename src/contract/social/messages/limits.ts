/** Sizes and numbers of messages of the social network. Services import them too. */
export const messageLimits = {
  /** characters of a message */
  text: 2_000,
  /** how long after it was sent a message can be edited */
  editMs: 15 * 60 * 1000,
  /** different emoji under one message */
  emoji: 10,
  /** members of a group */
  participants: 50,
  /** conversations that one member has pinned */
  pinned: 10,
  /** characters of the reason of a report */
  reportReason: 1_000,
} as const;
