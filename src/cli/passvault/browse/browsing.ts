import type { Screen } from '../../kit/screen.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { VaultSession } from '../session.ts';

/** Performs something with a connection of its own: a store that is opened in this process isn't held while somebody thinks. */
export type Use = <T>(work: (session: VaultSession) => Promise<T>) => Promise<T>;

/** Somebody at the terminal who looks around in their vaults. */
export interface Browsing {
  readonly terminal: Terminal;
  readonly drawn: (draw: (screen: Screen) => string) => Promise<string>;
  readonly use: Use;
  readonly say: (message: string) => void;
  readonly warn: (message: string) => void;
}
