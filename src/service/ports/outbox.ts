import type { Db } from '../../platform/store/database.ts';

/**
 * Messages to single nodes that arrive exactly once, in the order of sending for each node and channel. They wait in the store until the
 * receiver has signed what became of them, or until they expire.
 */
export interface OutboxPort {
  /**
   * Adds a message to the outbox as a part of the caller's transaction. It is sent after the commit, and again until it has an outcome.
   * A second message with the same id for the same node and channel is the same message.
   * @throws Problem tooLarge MESSAGE_TOO_LARGE, invalid MESSAGE_EXPIRED or MESSAGE_EXPIRY_TOO_LATE, tooMany OUTBOX_FULL, conflict
   *   MESSAGE_ID_REUSED for another body under the same id, unavailable NETWORK_OFF
   */
  send(tx: SendingTransaction, nodeId: string, channel: string, message: OutgoingMessage): Promise<void>;
  /**
   * Receives the messages of a channel. What the handler writes, the note that the message was handled, and the signed acknowledgment are
   * one transaction. A thrown `Problem` refuses the message for ever, and its sender gets code and message of the problem. After any other
   * error, and after a problem of the kind `unavailable`, `internal`, `network` or `tooMany`, the message comes again later, and those after
   * it wait, unless the channel has them `apart`: then they are handled, and may come before one that was sent earlier. An error that isn't a `Problem` refuses it after a day (HANDLING_FAILED). Handlers may run several times until one run counts, so
   * what they do outside of the transaction goes into `afterCommit`. Register it before the network starts.
   */
  receive(channel: string, handle: MessageHandler, order?: MessageOrder): void;
  /**
   * Hears what became of the messages of a channel, in the transaction that records it. When it throws, it hears the same again later, for a
   * day unless it is a `Problem` of the kinds above, and those after it are heard of before it. Register it before the network starts.
   */
  onOutcome(channel: string, note: OutcomeNote): void;
  /**
   * Hears which messages of the channel leave this node for the first time, in the transaction that notes it and before they do. When it
   * throws, none of them leaves, and they are tried again later. Register it before the network starts.
   */
  onLeaving(channel: string, note: LeavingNote): void;
  /**
   * Takes a message back as a part of the caller's transaction, if it has not left this node.
   * @returns false if it has left, or has an outcome; then the receiver may have it
   */
  withdraw(tx: MessageTransaction, nodeId: string, channel: string, id: string): Promise<boolean>;
  /** the access list behind the network; undefined where no network was started */
  directory(): NodeDirectory | undefined;
}

/** The part of a context that belongs to a transaction: `{ ...ctx, ...tx }` is the context for services. */
export interface MessageTransaction {
  readonly db: Db;
  readonly afterCommit: (action: () => void | Promise<void>) => void;
}

/** The context of a transaction. */
export interface SendingTransaction extends MessageTransaction {
  readonly clock: { now(): number };
  readonly random: (size: number) => Uint8Array;
  readonly config: { readonly network: { readonly enabled: boolean } };
}

export interface OutgoingMessage {
  /** 1 to 100 letters, digits, or `.`, `_`, `:`, `-` */
  readonly id: string;
  /** JSON of at most 256 KiB; larger things belong into streams */
  readonly body: unknown;
  /** milliseconds since 1970, at most 30 days from now; after it, the receiver handles the message no more, by its clock */
  readonly expiresAt: number;
}

export interface ReceivedMessage extends OutgoingMessage {
  /** the sender, which the active access list names */
  readonly nodeId: string;
  readonly channel: string;
}

/** `kept`: in the order of sending, whatever that takes; `apart`: messages that have nothing to do with each other */
export type MessageOrder = 'kept' | 'apart';

export type MessageHandler = (tx: MessageTransaction, message: ReceivedMessage) => Promise<void>;

/** What became of a message. */
export type MessageOutcome =
  | { readonly outcome: 'acknowledged' }
  | {
      /** `expired`: it was not handled in time */
      readonly outcome: 'refused' | 'expired';
      readonly code: string;
      /** for people */
      readonly reason: string;
    };

export interface SettledMessage {
  /** the receiver */
  readonly nodeId: string;
  readonly channel: string;
  readonly id: string;
  readonly result: MessageOutcome;
  /** JSON, signed by the receiver: see receipt.ts. Undefined if this node decided alone, because the receiver never answered. */
  readonly receipt: string | undefined;
}

/** @param ids of the messages */
export type LeavingNote = (
  tx: MessageTransaction,
  leaving: { readonly nodeId: string; readonly channel: string; readonly ids: readonly string[] },
) => Promise<void>;

export type OutcomeNote = (tx: MessageTransaction, settled: SettledMessage) => Promise<void>;

/** The access list as a transaction sees it. The pool implements it for the outbox. */
export interface NodeDirectory {
  /** the pool and the version of its active access list; undefined: this node has none yet */
  head(db: Db): Promise<{ readonly poolId: string; readonly version: number } | undefined>;
  /** how the active list names a node; `absent`: it doesn't, or not any more */
  standing(db: Db, nodeId: string): Promise<NodeStanding>;
  /** the key, in hex, under which the list of this version names a node */
  keyAt(db: Db, nodeId: string, version: number): Promise<string | undefined>;
  /** the node that the active list names for a mail domain, as long as its admission lasts */
  serving(db: Db, domain: string): Promise<{ readonly nodeId: string; readonly publicKey: string } | undefined>;
  /**
   * Checks that this node may sign receipts. What a copy of the node acknowledges would be lost with the copy.
   * @throws Problem; the sender is told, and sends the messages again later
   */
  assertSigning(db: Db): Promise<void>;
}

export type NodeStanding = 'admitted' | 'expired' | 'absent';
