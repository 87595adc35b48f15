/** The end of the ledger after entries were added to it. */
export interface LedgerEnd {
  /** number of entries */
  readonly size: number;
  /** 32 bytes; computed when it is asked for */
  readonly root: () => Uint8Array;
}

export interface LedgerPort {
  /**
   * Hears where the ledger ends whenever this process has added entries to it, after their commit. Commits that were close together may be
   * told in another order, so a smaller size after a larger one means nothing.
   */
  onGrowth(listener: (end: LedgerEnd) => void): Disposable;
  /** Tells the listeners. */
  grew(end: LedgerEnd): void;
}

export function createLedgerPort(): LedgerPort {
  const listeners = new Set<(end: LedgerEnd) => void>();
  return {
    onGrowth(listener) {
      // A listener that is added twice is heard twice.
      const own = (end: LedgerEnd) => listener(end);
      listeners.add(own);
      return { [Symbol.dispose]: () => void listeners.delete(own) };
    },
    grew(end) {
      for (const listener of listeners) listener(end);
    },
  };
}
