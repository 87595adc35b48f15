import { eciesEncrypter } from '../../crypto/ecies.ts';
import { wrapContext } from '../../crypto/room-keys.ts';
import type { Work } from '../../service/ports/task.ts';
import type { WrapRoomKeysJob } from './wrap-task.ts';

export const wrapRoomKeysWork: Work<WrapRoomKeysJob, Uint8Array[]> = ({ keys, wraps }) => {
  const encrypt = eciesEncrypter();
  try {
    return wraps.map(({ of, memberId, publicKey }) => {
      const one = keys[of];
      if (one === undefined) throw new RangeError('a wrap names a key that is not there');
      return encrypt(publicKey, one.key, wrapContext(one, memberId));
    });
  } finally {
    for (const { key } of keys) key.fill(0);
  }
};
