import type { Client } from '../../../client/client.ts';
import type { FullScreen } from '../../kit/full-screen.ts';

/** How the last thing is taken back. @returns what to tell the person */
export type Undo = (client: Client) => Promise<string>;

/** Somebody at a terminal who reads mail. */
export interface Reading extends FullScreen {
  /** opens a connection that stays; the caller closes it */
  readonly connect: () => Promise<Client>;
  /** what `z` takes back */
  readonly undoing: { last?: Undo | undefined };
}
