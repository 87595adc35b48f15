/** Limits of the frames of sockets; platform/realtime/limits.ts has more. */
export const socketLimits = {
  /** in bytes */
  frame: 64 * 1024,
  socketsPerMember: 10,
  subscriptions: 500,
  /** characters of a topic's name */
  topic: 128,
  /** the most refused topics that an answer names; further ones are only counted */
  refusedNamed: 20,
  ticketSeconds: 30,
} as const;
