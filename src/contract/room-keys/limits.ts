export const roomKeyLimits = {
  /** members of a room that shares keys */
  members: 5_000,
  /** keys in one answer */
  page: 200,
  /** keys of earlier epochs that one new member gets, the newest ones */
  history: 1_000,
  /** the same for all members who are added at once */
  historyAtOnce: 10_000,
} as const;
