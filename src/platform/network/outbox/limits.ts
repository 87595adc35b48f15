/** The limits of messages to single nodes. Tests use smaller ones. */
export interface OutboxLimits {
  /** bytes of the JSON of a body */
  readonly bodyBytes: number;
  /** messages that wait for one node, and for all nodes together */
  readonly perNode: Amount;
  readonly total: Amount;
  /** messages in a request; their bodies together may exceed the size by one body */
  readonly batch: Amount;
  /** the longest time from sending to expiry */
  readonly lifeMs: number;
  /** after its expiry, the sender asks for so long what became of a message; the receiver keeps the answer a day longer */
  readonly marginMs: number;
  /** the time for which outcomes are kept */
  readonly outcomesMs: number;
  /** the first and the longest pause between two attempts */
  readonly retryMs: { readonly least: number; readonly most: number };
  /** queues that are sent at the same time */
  readonly queuesAtOnce: number;
  /** answers that are kept for one sender */
  readonly inboxRows: number;
}

interface Amount {
  readonly messages: number;
  readonly bytes: number;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

export const outboxLimits: OutboxLimits = {
  bodyBytes: 256 * KIBIBYTE,
  perNode: { messages: 20_000, bytes: 128 * MEBIBYTE },
  total: { messages: 200_000, bytes: 1_024 * MEBIBYTE },
  batch: { messages: 128, bytes: 512 * KIBIBYTE },
  lifeMs: 30 * DAY,
  marginMs: 7 * DAY,
  outcomesMs: 30 * DAY,
  retryMs: { least: 5 * SECOND, most: HOUR },
  queuesAtOnce: 32,
  inboxRows: 1_000_000,
};

/** Allowed difference between the clocks of sender and receiver, where a limit of one is checked by the other. */
export const CLOCKS_MS = DAY;
