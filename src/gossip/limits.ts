/** What the network allows. Tests take smaller ones; nobody needs to set them. */
export interface NetworkLimits {
  /** bytes of a signed announcement, envelope and all */
  readonly announcementBytes: number;
  /** how far the clocks of two nodes may be apart */
  readonly clockSkewMs: number;
  /** how long ids are remembered, and announcements are kept for those who were away */
  readonly keepMs: number;
  readonly keptRows: number;
  readonly keptBytes: number;
  /** announcements of one author: so many at once, and so many a second from then on */
  readonly author: TokenBucket;
  /** invalid announcements that one peer may pass on before its connection is dropped */
  readonly invalid: TokenBucket;
  /** announcements that wait to be written, or to be sent; more are left to reconciliation */
  readonly waiting: number;
  /** how often two connected nodes compare what they have */
  readonly reconcileMs: number;
  /** bytes of a question, where its responder doesn't say */
  readonly questionBytes: number;
  readonly answerBytes: number;
  /** to find out who is there, for both sides */
  readonly handshakeMs: number;
  readonly questionMs: number;
  readonly answerMs: number;
  /** requests of one peer that are being answered at once */
  readonly requestsAtOnce: number;
  readonly strangers: StrangerLimits;
  /** least and largest pause between two attempts to connect */
  readonly retryMs: { readonly least: number; readonly most: number };
}

export interface StrangerLimits {
  /** connections at once, in all and from one address */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** new connections from one address that have yet to say who they are; each costs a handshake of about 10 ms */
  readonly handshakesPerAddress: TokenBucket;
  readonly connecting: TokenBucket;
  readonly askingPerAddress: TokenBucket;
  readonly askingPerPeer: TokenBucket;
  readonly requestsAtOnce: number;
  readonly questionMs: number;
  /** without a question for so long, a connection is closed */
  readonly idleMs: number;
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
  clockSkewMs: 10 * MINUTE,
  keepMs: 24 * 60 * MINUTE,
  keptRows: 20_000,
  keptBytes: 64 * MEBIBYTE,
  author: { burst: 10_000, perSecond: 2 },
  invalid: { burst: 100, perSecond: 1 },
  waiting: 8_192,
  reconcileMs: 30 * SECOND,
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
  retryMs: { least: SECOND, most: 5 * MINUTE },
};
