import { filevault } from '../../contract/filevault.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { eciesDecrypt } from '../../crypto/ecies.ts';
import { sharedKeyContext, type Named } from '../../crypto/formats/file-content/file-content.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { Problem } from '../../base/problem.ts';
import { perform, type Caller } from '../perform.ts';
import type { Cipher } from './cipher.ts';
import { notAsStored, openFile } from './opened-file.ts';

/**
 * Opens files of client-encrypted containers that are shared with a member who is not let into the container. Anybody could encrypt a key to
 * the member, so this says nothing about who made the content: the owner of the container signs its keys, and no shares.
 */
export function sharedCipher(caller: Caller, own: KeyPair): Cipher {
  return {
    beginning: async () => await refuse(),
    upload: async () => await refuse(),
    give: async () => await refuse(),
    async open(id, versionId) {
      try {
        return await openFile(caller, { id, versionId }, async ({ shareId }, named) =>
          shareId === undefined ? await refuse() : await sharedKey(caller, own, shareId, named),
        );
      } catch (error) {
        throw error instanceof Problem && error.code === 'KEY_MISSING' ? notShared() : error;
      }
    },
  };
}

async function sharedKey(caller: Caller, own: KeyPair, shareId: string, named: Named): Promise<Uint8Array> {
  const keys = await perform(caller, filevault.showShareKeys, { id: shareId });
  const given = keys.find(({ contentId }) => contentId === named.id);
  if (given === undefined) throw notShared();
  try {
    return eciesDecrypt(own.privateKey, fromHex(given.wrappedKey), sharedKeyContext(shareId, named));
  } catch (error) {
    throw error instanceof CryptoError ? notAsStored() : error;
  }
}

async function refuse(): Promise<never> {
  throw new Problem(
    'forbidden',
    'FORBIDDEN',
    'The file is in a container that its members encrypt, and you are not one of them: you can read it, and store nothing.',
  );
}

function notShared(): Problem {
  return new Problem(
    'conflict',
    'KEY_MISSING',
    'This version was stored after the file was shared with you, so its key is not encrypted to you. Ask for it to be shared again: conclave files share',
  );
}
