import { Problem } from '../../base/problem.ts';

/** @param epoch the current one */
export function epochChanged(epoch: number): Problem {
  const fields = [{ path: 'epoch', message: `must be ${epoch}` }];
  const message = `The keys of the room changed. The current epoch is ${epoch}. Read the keys, then try again.`;
  return new Problem('conflict', 'EPOCH_CHANGED', message, { fields });
}

/** @param epoch the current one */
export function epochClosed(epoch: number): Problem {
  const message = `The key of epoch ${epoch} is not used any more, because somebody who has it left, the node was restored, or it is older than a day and messages are not kept for long. Make the next key for those who are there, then send again.`;
  return new Problem('conflict', 'EPOCH_CLOSED', message);
}

export function keysDamaged(cause?: unknown): Problem {
  const message = 'A key or a message of a room in the store is damaged. Restore the store from a backup.';
  return new Problem('internal', 'STORE_DAMAGED', message, { cause });
}

/** The room was deleted, or never had keys. */
export function noKeys(): Problem {
  return new Problem('missing', 'NOT_FOUND', 'There is no such room, or it has no keys.');
}
