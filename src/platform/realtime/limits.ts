import { socketLimits } from '../../contract/realtime/limits.ts';

export const limits = {
  /** bytes of a frame */
  frame: socketLimits.frame,
  /** fragments of one frame (programs make a few), and pieces of a fragment. Each costs some 200 bytes in addition to its content */
  fragments: 128,
  pieces: 1024,
  /** milliseconds after which the first frame must have named a session */
  authentication: 5_000,
  socketsPerMember: socketLimits.socketsPerMember,
  subscriptions: socketLimits.subscriptions,
  /** bytes that may wait for a reader before it counts as too slow */
  unsent: 1024 * 1024,
  /** bytes that may be unsent during a catch-up: more events are read only below this */
  unsentBeforeMore: 256 * 1024,
  /** maximum number of checks in a row without progress in sending, with `drainMs` between them */
  drainTries: 1_500,
  drainMs: 20,
  /** bytes of an event with its frame, and bytes of an event that goes to other processes in a signal */
  event: 64 * 1024,
  passingEvent: 7_000,
  /** events that are read at once; missed events of one topic that are sent again. After more, the client must read the data anew */
  eventsAtOnce: 64,
  replayed: 1_000,
  /** unsent bytes before an answer to a protocol ping: a client that has more than this isn't reading */
  unsentPongs: 64 * 1024,
  /** pings and pongs of the protocol that a client may send in `controlSeconds`; usual programs send one every few seconds */
  controlFrames: 60,
  controlSeconds: 10,
  /** frames of one socket that wait for their turn */
  unanswered: 100,
  /**
   * Weight that clients may use in `weightSeconds`. A frame weighs 1, plus 1 for each topic in it and for each `bytesPerWeight` bytes. Ten
   * pages of one member that reconnect at once, with the maximum number of subscriptions, stay below the limit.
   */
  weightSeconds: 10,
  weightPerSocket: 2_000,
  weightPerMember: 6_000,
  bytesPerWeight: 1024,
  /** what is told again and again is told once in so long */
  passingSeconds: 3,
  pingSeconds: 30,
  /** milliseconds that a client has for closing its side */
  goodbye: 5_000,
} as const;
