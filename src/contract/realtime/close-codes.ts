/** The reasons for closing a socket. 1000–1015 are from RFC 6455 and its registry; 4000 and up are ours. */
export const closeCodes = {
  goingAway: 1001,
  tooLarge: 1009,
  /** the client reads too slowly, or the member has too many sockets: the client should connect again and resume */
  tryAgainLater: 1013,
  unauthenticated: 4001,
  sessionEnded: 4002,
  /** too many frames, too long frames, or too many topics for the time: the client should wait, connect again and ask for less */
  tooMuch: 4029,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
