import type { Screen } from '../../kit/screen.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { VaultSession } from '../session.ts';

/** Runs work with its own connection. A store that is opened in this process is closed while the person decides what to do next. */
export type Use = <T>(work: (session: VaultSession) => Promise<T>) => Promise<T>;

/** A person at the terminal who browses their vaults. */
export interface Browsing {
  readonly terminal: Terminal;
  readonly drawn: (draw: (screen: Screen) => string) => Promise<string>;
  readonly use: Use;
  readonly say: (message: string) => void;
  readonly warn: (message: string) => void;
}
