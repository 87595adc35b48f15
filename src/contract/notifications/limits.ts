export const notificationLimits = {
  /** notifications that are kept for a member */
  kept: 1_000,
  /** characters of what a system alert says */
  alert: 1_000,
  /** members whom a notification names of those who caused it */
  actors: 10,
  /** browsers of a member that get push messages */
  subscriptions: 20,
  /** characters of the address of a push service */
  endpoint: 2_048,
  /** characters of an IANA time zone */
  timeZone: 64,
} as const;
