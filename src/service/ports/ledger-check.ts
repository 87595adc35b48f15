import type { Db } from '../../platform/store/database.ts';
import type { LedgerEntry } from '../../crypto/formats/ledger/entry.ts';
import type { Fault } from '../../base/faults.ts';

/** Compares what entries of the ledger say with the rows of the service that recorded them. It is part of `ledger verify --full`. */
export interface LedgerCheck {
  /** one word, for people and programs */
  readonly name: string;
  /** types of the entries that the check reads */
  readonly types: ReadonlySet<string>;
  /** Looks at the rows, before any entry is read: what is dropped later cannot be missed then. */
  begin(db: Db): Promise<LedgerReader>;
}

export interface LedgerReader {
  /** takes the entries in their order */
  read(entry: LedgerEntry): void;
  /** after the last entry */
  end(): Promise<{ readonly detail: string; readonly faults: readonly Fault[] }>;
}
