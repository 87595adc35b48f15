import type { Client } from '../../../client/client.ts';
import type { FullScreen } from '../../kit/full-screen.ts';
import type { Unmeasured } from '../../kit/screen.ts';

/** Somebody at a terminal who reads the social network. */
export interface Reading extends FullScreen {
  /** opens a connection that stays; the caller closes it */
  readonly connect: () => Promise<Client>;
  /** how times are shown */
  readonly at: Unmeasured;
  /** ids of rows that are unfolded */
  readonly unfolded: Set<string>;
  /** the reposts that were made here, by the id of what was reposted */
  readonly reposts: Map<string, string>;
}
