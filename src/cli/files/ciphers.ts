import type { Cipher } from '../../client/filevault/cipher.ts';
import type { Recipient } from '../../client/filevault/fingerprints.ts';
import { perform } from '../../client/perform.ts';
import { filevault } from '../../contract/filevault.ts';
import type { Terminal } from '../kit/terminal.ts';
import { ownKeys, type KeyCaller, type OwnKeys } from './own-key.ts';

/** How the files of a container are encrypted here; undefined: the node does that. It asks for the member's key only where it is needed. */
export type Ciphers = (containerId: string) => Promise<Cipher | undefined>;

/** For what the node encrypts. */
export const plainly: Ciphers = async () => undefined;

interface Given {
  readonly terminal: Terminal;
  readonly caller: KeyCaller;
  readonly keyFile: string | undefined;
  /** hears that the owner's client made a new key, and who got it beside the owner */
  readonly onNewKey: (news: NewKey) => void;
}

export interface NewKey {
  readonly container: string;
  readonly number: number;
  readonly recipients: readonly Recipient[];
}

export function ciphersFor(given: Given): Ciphers {
  const known = new Map<string, Promise<Cipher | undefined>>();
  let keys: Promise<OwnKeys> | undefined;
  const own = async (): Promise<OwnKeys> => await (keys ??= ownKeys(given.terminal, given.caller, given.keyFile));
  return async (containerId) => {
    const cipher = known.get(containerId) ?? cipherOf(given, own, containerId);
    known.set(containerId, cipher);
    return await cipher;
  };
}

async function cipherOf(
  { caller, onNewKey }: Given,
  own: () => Promise<OwnKeys>,
  id: string,
): Promise<Cipher | undefined> {
  const container = await perform(caller, filevault.showContainer, { id });
  if (!container.clientEncrypted) return undefined;
  // Loaded here, because the curves take longer to load than most commands to run.
  const { cipherFor } = await import('../../client/filevault/cipher.ts');
  const { recipientOf } = await import('../../client/filevault/fingerprints.ts');
  return cipherFor({
    caller,
    container,
    own: await own(),
    onNewKey: (number, holders) =>
      onNewKey({ container: container.name, number, recipients: holders.map(recipientOf) }),
  });
}

/** What a person should know of a new key. */
export function newKeyLines({ container, number, recipients }: NewKey): string[] {
  const first = `Made key ${number} of ${container}, which is encrypted to you${recipients.length > 0 ? ' and to' : ''}`;
  if (recipients.length === 0) return [`${first} alone.`];
  return [`${first}:`, ...recipients.map(recipientLine)];
}

export function recipientLine({ username, fingerprint }: Recipient): string {
  return `  ${username}, whose key has the fingerprint: ${fingerprint.words.join(' ')}`;
}
