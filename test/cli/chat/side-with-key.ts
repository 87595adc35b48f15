import { ownSide, type OwnSide } from '../../../src/cli/chat/sealed/own-side.ts';
import { processTerminal } from '../../../src/cli/kit/terminal.ts';
import type { Client } from '../../../src/client/client.ts';

/** The side of a member whose program is given their key, or none, in the environment. */
export function sideWithKey(client: Client, key: string | undefined, warn: (text: string) => void): OwnSide {
  const terminal = { ...processTerminal(), env: { CONCLAVE_KEY: key } };
  return ownSide({ client, terminal, keyFile: undefined, say: () => undefined, warn });
}
