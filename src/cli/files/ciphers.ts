import type { Cipher } from '../../client/filevault/cipher.ts';
import type { Recipient } from '../../client/filevault/fingerprints.ts';
import { perform, type Caller } from '../../client/perform.ts';
import type { Container } from '../../contract/filevault/fields.ts';
import { filevault } from '../../contract/filevault.ts';
import { Problem } from '../../base/problem.ts';
import type { Terminal } from '../kit/terminal.ts';
import { ownKeys, type KeyCaller, type OwnKeys } from '../accounts/own-key.ts';

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
  /** hears that files are opened by a share, which the owner of the container has not signed */
  readonly onShared: () => void;
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
  { caller, onNewKey, onShared }: Given,
  own: () => Promise<OwnKeys>,
  id: string,
): Promise<Cipher | undefined> {
  const container = await containerSeen(caller, id);
  if (container === undefined) {
    if (!(await isSharedSealed(caller, id))) return undefined;
    onShared();
    const { sharedCipher } = await import('../../client/filevault/shared-cipher.ts');
    return sharedCipher(caller, await own());
  }
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

/** @returns undefined for somebody who is not let into the container, but may have files of it that are shared with them */
async function containerSeen(caller: Caller, id: string): Promise<Container | undefined> {
  try {
    return await perform(caller, filevault.showContainer, { id });
  } catch (error) {
    if (error instanceof Problem && error.code === 'CONTAINER_NOT_FOUND') return undefined;
    throw error;
  }
}

async function isSharedSealed(caller: Caller, id: string): Promise<boolean> {
  const reply = await perform(caller, filevault.listSharedWithMe, {});
  const shares = Array.isArray(reply) ? reply : reply.shares;
  return shares.some(({ vaultContainerId, clientEncrypted }) => clientEncrypted && vaultContainerId === id);
}

export const sharedSealed =
  'Files that are shared with you from a client-encrypted container have no signature of its owner. That their content is the one that was shared rests on the server.';

/** What a person should know of a new key. */
export function newKeyLines({ container, number, recipients }: NewKey): string[] {
  const first = `Made key ${number} of ${container}, which is encrypted to you${recipients.length > 0 ? ' and to' : ''}`;
  if (recipients.length === 0) return [`${first} alone.`];
  return [`${first}:`, ...recipients.map(recipientLine)];
}

export function recipientLine({ username, fingerprint }: Recipient): string {
  return `  ${username}, whose key has the fingerprint: ${fingerprint.words.join(' ')}`;
}
