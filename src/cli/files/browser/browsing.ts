import type { Client } from '../../../client/client.ts';
import type { FullScreen } from '../../kit/full-screen.ts';
import type { Ciphers } from '../ciphers.ts';

/** Somebody at a terminal who browses files. */
export interface Browsing extends FullScreen {
  /** how the files of a client-encrypted container are read and stored, over a connection */
  readonly ciphers: (client: Client) => Ciphers;
}
