import { systemRandom } from '../../crypto/bytes.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { Problem } from '../../base/problem.ts';
import type { Caller } from '../perform.ts';
import {
  giveKeys,
  giveNewest,
  lackingNewest,
  makeKey,
  openKeyring,
  type ClientContainer,
  type Holder,
  type Keyring,
} from './keyring.ts';
import { opened, openFile, type OpenedFile } from './opened-file.ts';
import { sealedUpload, type SealedUpload } from './sealed-upload.ts';

/** Encrypts and decrypts the files of one client-encrypted container, on this machine. */
export interface Cipher {
  /**
   * Begins an upload, as soon as something can be stored: the owner makes a key where one is needed.
   * @throws Problem conflict KEY_MISSING, KEY_OUTDATED
   */
  beginning<T>(begin: () => Promise<T>): Promise<T>;
  upload(sessionId: string): Promise<SealedUpload>;
  open(id: string, versionId?: string): Promise<OpenedFile>;
  /** Gives a member all keys, so that the member can use the access that they have. @returns the member */
  give(memberId: string): Promise<Holder>;
}

export interface CipherOptions {
  readonly caller: Caller;
  readonly container: ClientContainer;
  readonly own: KeyPair;
  /** hears of a new key, and of the members who got it beside the owner */
  readonly onNewKey?: (number: number, holders: readonly Holder[]) => void;
}

/** How often the owner makes a key again because another client has made one meanwhile. */
const ATTEMPTS = 4;

export function cipherFor({ caller, container, own, onNewKey }: CipherOptions): Cipher {
  const isOwner = memberIdOf(own.publicKey) === container.ownerId;
  let latest: Promise<Keyring> | undefined;
  let ensuring: Promise<Keyring> | undefined;

  async function keyring(again = false): Promise<Keyring> {
    if (again) latest = undefined;
    latest ??= openKeyring(caller, container, own).catch((error: unknown) => {
      latest = undefined;
      throw error;
    });
    return await latest;
  }

  async function keyOf(number: number): Promise<Uint8Array> {
    const key = (await keyring()).keys.get(number) ?? (await keyring(true)).keys.get(number);
    if (key === undefined) throw notGiven();
    return key;
  }

  /** The keys, with one that may be used for something new. Files that are sent side by side wait for the same. */
  async function usable(again = false): Promise<Keyring> {
    if (again) latest = undefined;
    ensuring ??= ensured().finally(() => (ensuring = undefined));
    return await ensuring;
  }

  async function ensured(): Promise<Keyring> {
    for (let left = ATTEMPTS; ; left -= 1) {
      const now = await keyring();
      const key = now.keys.get(now.newest);
      if (key !== undefined && !now.outdated) {
        if (isOwner) await complete(now, key);
        return now;
      }
      if (!isOwner) throw now.newest > 0 && !now.outdated ? notGiven() : ownerNeeded(now);
      try {
        const holders = await makeKey(caller, container, own, now, systemRandom);
        onNewKey?.(now.newest + 1, holders);
      } catch (error) {
        if (left === 0 || !isChange(error)) throw error;
      }
      latest = undefined;
    }
  }

  /** Gives the newest key to those whom a client that was stopped has left without it. */
  async function complete(now: Keyring, key: Uint8Array): Promise<void> {
    const holders = lackingNewest(now);
    if (holders.length === 0) return;
    latest = undefined;
    try {
      await giveNewest(caller, container, { newest: now.newest, key, holders });
    } catch (error) {
      if (!isChange(error)) throw error;
    }
  }

  const keys = {
    container,
    keyOf,
    random: systemRandom,
    async current(again = false) {
      const { newest: number } = await usable(again);
      return { number, key: await keyOf(number) };
    },
  };

  return {
    async beginning(begin) {
      await usable();
      try {
        return await begin();
      } catch (error) {
        if (!(error instanceof Problem) || !['KEY_OUTDATED', 'KEY_MISSING'].includes(error.code)) throw error;
      }
      await usable(true);
      return await begin();
    },
    upload: async (sessionId) => await sealedUpload(caller, keys, sessionId),
    open: async (id, versionId) =>
      await openFile(caller, { id, versionId }, async ({ keyNumber, wrappedKey }, named) =>
        opened(await keyOf(keyNumber), container, keyNumber, named, wrappedKey),
      ),
    async give(memberId) {
      if (isOwner) await usable(true);
      const now = await keyring(true);
      const member = now.members?.find((one) => one.memberId === memberId);
      if (member === undefined) throw noAccess(memberId);
      await giveKeys(caller, container, now, member);
      return member;
    },
  };
}

/** Another client has made a key, or a member has lost the access, since the keys were read. */
function isChange(error: unknown): boolean {
  return error instanceof Problem && ['KEY_CHANGED', 'VALIDATION_ERROR'].includes(error.code);
}

function notGiven(): Problem {
  return new Problem(
    'conflict',
    'KEY_MISSING',
    'Nobody has encrypted the key of the container to you yet. Ask its owner to grant you the access again: conclave files acl grant',
  );
}

function ownerNeeded({ newest }: Keyring): Problem {
  const again = 'Ask its owner to store something: that makes the key.';
  return newest === 0
    ? new Problem('conflict', 'KEY_MISSING', `The container has no key yet. ${again}`)
    : new Problem('conflict', 'KEY_OUTDATED', `The container needs a new key, because a member lost access. ${again}`);
}

function noAccess(memberId: string): Problem {
  return new Problem('missing', 'MEMBER_NOT_FOUND', `Member ${memberId} has no access to the container.`);
}
