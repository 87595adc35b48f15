export const notificationLimits = {
  /** notifications that are kept for a member */
  kept: 1_000,
  /** characters of what a system alert says */
  alert: 1_000,
  /** characters of an IANA time zone */
  timeZone: 64,
} as const;
