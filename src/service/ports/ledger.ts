/** The end of the ledger after entries were added to it. */
export interface LedgerEnd {
  /** number of entries */
  readonly size: number;
  /** 32 bytes; computed when it is asked for */
  readonly root: () => Uint8Array;
}

/** Gives waiting entries their places; see sequencer.ts. */
export type Integrate = () => Promise<void>;

/** What the ledger of this process remembers between two requests. Disposing it gives waiting entries their places at once. */
export interface LedgerPort extends AsyncDisposable {
  /**
   * Hears where the ledger ends whenever this process has added entries to it, after their commit. Commits that were close together may be
   * told in another order, so a smaller size after a larger one means nothing.
   */
  onGrowth(listener: (end: LedgerEnd) => void): Disposable;
  /** Tells the listeners. */
  grew(end: LedgerEnd): void;
  /** Runs one piece of work after another, such as those that write the same file. */
  oneByOne<T>(work: () => Promise<T>): Promise<T>;
  /** An id for an entry. Each is greater than those that this process made before. */
  entryId(now: number, random: (size: number) => Uint8Array): string;
  /** Entries wait. They get their places together with others that come meanwhile. */
  soon(integrate: Integrate): void;
  /** The same without waiting for others. Resolves when it was done, or when it failed. */
  now(integrate: Integrate): Promise<void>;
  /** Resolves when the entries of which this process knew have their places, or when giving them one failed. */
  settled(): Promise<void>;
  /** whether the head was as this node wrote it when this process last looked at it; no entry is accepted before it is */
  sound: boolean;
  /** ids of waiting entries that get no place, since they were changed or recorded before; each is logged once */
  readonly refused: Set<string>;
}
