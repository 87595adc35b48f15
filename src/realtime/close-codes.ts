import { socketLimits } from '../contract/realtime/limits.ts';

/** Why a socket was closed. 1000–1015: RFC 6455 and its registry; 4000 and up are ours. */
export const closeCodes = {
  goingAway: 1001,
  tooLarge: 1009,
  /** too slow a reader, or too many sockets: come back and resume */
  tryAgainLater: 1013,
  unauthenticated: 4001,
  sessionEnded: 4002,
  /** frames that were too many, too long, or of too many topics for the time: wait, come back and ask for less */
  tooMuch: 4029,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

export const limits = {
  /** bytes of a frame */
  frame: socketLimits.frame,
  /** parts that one may come in, of which programs make a few, and pieces of a part: each costs some 200 bytes beside its own */
  fragments: 128,
  pieces: 1024,
  /** milliseconds until the first frame must have named a session */
  authentication: 5_000,
  socketsPerMember: socketLimits.socketsPerMember,
  subscriptions: socketLimits.subscriptions,
  /** bytes that may wait for a reader before it counts as too slow */
  unsent: 1024 * 1024,
  /** bytes that may wait while what was missed is read and sent: more of it is read when they are gone */
  unsentBeforeMore: 256 * 1024,
  /** how often in a row, with `drainMs` between, none of them may be gone */
  drainTries: 1_500,
  drainMs: 20,
  /** bytes of an event with its frame, and of one that goes to other processes in a signal */
  event: 64 * 1024,
  passingEvent: 7_000,
  /** events that are read at once, and of one topic that are sent again: who missed more reads anew what the topic is about */
  eventsAtOnce: 32,
  replayed: 1_000,
  /** the same for answers to pings of the protocol: who has so much before them isn't reading */
  unsentPongs: 64 * 1024,
  /** pings and pongs of the protocol that a client may send in a while; programs send one in some seconds */
  controlFrames: 60,
  controlSeconds: 10,
  /** frames of one socket that wait for their turn */
  unanswered: 100,
  /**
   * What clients may ask for in a while: a frame weighs 1, and 1 more for each topic in it and for every so many bytes. Ten pages
   * of one member that come back at once, with all the subscriptions that they may have, stay below it.
   */
  weightSeconds: 10,
  weightPerSocket: 2_000,
  weightPerMember: 6_000,
  bytesPerWeight: 1024,
  pingSeconds: 30,
  /** milliseconds that a client has to close its side */
  goodbye: 5_000,
} as const;
