/** What bounds the frames of sockets; more of it stands in realtime/close-codes.ts. */
export const socketLimits = {
  /** bytes */
  frame: 64 * 1024,
  socketsPerMember: 10,
  subscriptions: 500,
  /** characters of a topic's name */
  topic: 128,
  /** refused topics that an answer names; the others it only counts */
  refusedNamed: 20,
  ticketSeconds: 30,
} as const;
