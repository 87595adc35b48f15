/** The limits of the network. Tests use smaller ones; they are not configurable because no operator needs to change them. */
export interface NetworkLimits {
  /** bytes of the payload of an announcement; a topic may have a lower limit */
  readonly announcementBytes: number;
  /** bytes of a signed envelope with all its announcements */
  readonly envelopeBytes: number;
  /** largest allowed difference between the clocks of two nodes */
  readonly clockSkewMs: number;
  /** how long ids are remembered, and announcements are kept for nodes that were offline; a topic may ask for less */
  readonly keepMs: number;
  readonly keptRows: number;
  readonly keptBytes: number;
  /** announcements of one author on one topic that names no rate: the number allowed at once, and the number per second after that */
  readonly topic: TokenBucket;
  /** invalid announcements that one peer may pass on before its connection is dropped */
  readonly invalid: TokenBucket;
  /** envelopes of one peer that may be refused or be under way before its others are thrown away unread; those that are good cost nothing */
  readonly refused: TokenBucket;
  /** announcements that may wait to be written or sent, and their bytes; others are left to reconciliation */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** how often two connected nodes compare what they have */
  readonly reconcileMs: number;
  /** how often a connected node is asked for its time, and told what domains share */
  readonly pingMs: number;
  /** how long a ping may take; a node is dropped after three in a row that it did not answer */
  readonly pingAnswerMs: number;
  /** bytes of a question, if its responder has no limit of its own */
  readonly questionBytes: number;
  readonly answerBytes: number;
  /** time for the authentication of both sides */
  readonly handshakeMs: number;
  readonly questionMs: number;
  readonly answerMs: number;
  /** requests of one peer that are answered at the same time */
  readonly requestsAtOnce: number;
  readonly strangers: StrangerLimits;
  readonly streams: StreamLimits;
  /** least and largest pause between two attempts to connect */
  readonly retryMs: { readonly least: number; readonly most: number };
}

export interface StrangerLimits {
  /** connections at the same time, in total and from one address */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** new, not yet authenticated connections from one address; each costs a handshake of about 10 ms */
  readonly handshakesPerAddress: TokenBucket;
  readonly connecting: TokenBucket;
  readonly askingPerAddress: TokenBucket;
  readonly askingPerPeer: TokenBucket;
  readonly requestsAtOnce: number;
  readonly questionMs: number;
  /** a connection without a question for this time is closed */
  readonly idleMs: number;
}

export interface StreamLimits {
  /** streams that are sent to one peer at the same time, and streams that are fetched from one peer */
  readonly ofPeer: number;
  /** streams that are sent at the same time, and streams that are fetched */
  readonly ofAll: number;
  /** bytes that are sent to one peer */
  readonly speed: TokenBucket;
  /** bytes that are on their way or wait to be taken; with what is being taken, a stream holds at most twice as much */
  readonly windowBytes: number;
  /** a stream ends when its other side doesn't move for this time */
  readonly idleMs: number;
  /** a stream ends when its other side moves less than this in this time of waiting */
  readonly progress: { readonly bytes: number; readonly perMs: number };
}

export interface TokenBucket {
  readonly burst: number;
  readonly perSecond: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MEBIBYTE = 1024 ** 2;

export const defaultLimits: NetworkLimits = {
  announcementBytes: 64 * 1024,
  envelopeBytes: 128 * 1024,
  clockSkewMs: 10 * MINUTE,
  keepMs: 24 * 60 * MINUTE,
  keptRows: 20_000,
  keptBytes: 64 * MEBIBYTE,
  topic: { burst: 10_000, perSecond: 50 },
  invalid: { burst: 100, perSecond: 1 },
  // Reading one of 128 KiB takes one to two milliseconds, so this bounds a peer to some percent of a processor.
  refused: { burst: 2_000, perSecond: 20 },
  waiting: 8_192,
  waitingBytes: 16 * MEBIBYTE,
  reconcileMs: 30 * SECOND,
  pingMs: 10 * SECOND,
  pingAnswerMs: 7 * SECOND,
  questionBytes: MEBIBYTE,
  answerBytes: 8 * MEBIBYTE,
  handshakeMs: 5 * SECOND,
  questionMs: 10 * SECOND,
  answerMs: 20 * SECOND,
  requestsAtOnce: 16,
  strangers: {
    connections: 64,
    connectionsPerAddress: 16,
    handshakesPerAddress: { burst: 120, perSecond: 4 },
    connecting: { burst: 30, perSecond: 0.5 },
    askingPerAddress: { burst: 60, perSecond: 1 },
    askingPerPeer: { burst: 20, perSecond: 0.5 },
    requestsAtOnce: 2,
    questionMs: 5 * SECOND,
    idleMs: MINUTE,
  },
  streams: {
    ofPeer: 8,
    ofAll: 64,
    speed: { burst: 4 * MEBIBYTE, perSecond: 64 * MEBIBYTE },
    windowBytes: 512 * 1024,
    idleMs: 30 * SECOND,
    progress: { bytes: 64 * 1024, perMs: 2 * MINUTE },
  },
  retryMs: { least: SECOND, most: 5 * MINUTE },
};
