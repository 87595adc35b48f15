import type { Terminal } from '../terminal.ts';
import type { VaultSession } from './session.ts';

/** Somebody at the terminal who looks around in their vaults. */
export interface Browsing {
  readonly terminal: Terminal;
  /** Performs something with a connection of its own: a store that is opened in this process isn't held while somebody thinks. */
  readonly use: <T>(work: (session: VaultSession) => Promise<T>) => Promise<T>;
  readonly say: (message: string) => void;
  readonly warn: (message: string) => void;
}
