import type { PermissionFlag } from '../../contract/filevault/limits.ts';
import { Problem } from '../../base/problem.ts';

export function containerNotFound(): Problem {
  return new Problem('missing', 'CONTAINER_NOT_FOUND', 'There is no such container.');
}

/** One answer for nodes that don't exist, that are of the other kind or in the trash, and that the caller may not know of. */
export function nodeNotFound(kind: 0 | 1): Problem {
  return kind === 0
    ? new Problem('missing', 'FOLDER_NOT_FOUND', 'There is no such folder.')
    : new Problem('missing', 'FILE_NOT_FOUND', 'There is no such file.');
}

export function containerDestroyed(): Problem {
  return new Problem('gone', 'CONTAINER_DESTROYED', 'The container was destroyed with all its files.');
}

export function containerLocked(): Problem {
  return new Problem('forbidden', 'CONTAINER_LOCKED', 'The container is locked. Its owner can unlock it.');
}

/** For what the caller sees and may not change. */
export function flagMissing(flag: PermissionFlag): Problem {
  return new Problem('forbidden', 'FORBIDDEN', `This needs the permission ${flag}. Ask the owner of the container.`);
}

export function ownerAlone(): Problem {
  return new Problem('forbidden', 'FORBIDDEN', 'Only the owner of the container may do this.');
}

export function nameTaken(): Problem {
  return new Problem(
    'conflict',
    'NAME_TAKEN',
    'The folder has something of this name already. Choose another name. Upper and lower case count as the same.',
  );
}

export function rootFolder(): Problem {
  return new Problem('conflict', 'ROOT_FOLDER', 'The root folder of a container stays as it is. Change the container.');
}

export function fileDamaged(cause?: unknown): Problem {
  const words = 'The stored content of the file is damaged. Restore it from a backup: conclave admin store restore';
  return new Problem('internal', 'FILE_DAMAGED', words, { cause });
}

export function uploadNotFound(): Problem {
  return new Problem('missing', 'UPLOAD_NOT_FOUND', 'There is no such upload, or it has expired. Begin again.');
}

export function versionNotFound(): Problem {
  return new Problem('missing', 'VERSION_NOT_FOUND', 'The file has no such version.');
}

export function fileDestroyed(): Problem {
  return new Problem('gone', 'FILE_DESTROYED', 'The file was destroyed. Nothing can bring it back.');
}

export function clientEncrypted(): Problem {
  return new Problem(
    'invalid',
    'CLIENT_ENCRYPTED',
    'The container is encrypted by its members. The node does not have its keys. Use the command line: conclave files get',
  );
}

export function shareNotFound(): Problem {
  return new Problem('missing', 'SHARE_NOT_FOUND', 'There is no such share.');
}

export function shareIdTaken(): Problem {
  return new Problem(
    'conflict',
    'SHARE_ID_TAKEN',
    'This id is not free. Take another one, and encrypt the keys for it.',
  );
}

/** One answer for links that never were, that have expired, and that were opened as often as they may be. */
export function linkNotFound(): Problem {
  return new Problem('missing', 'LINK_NOT_FOUND', 'There is no such link, or it has expired. Ask for a new one.');
}

export function linkRevoked(): Problem {
  return new Problem('gone', 'LINK_REVOKED', 'The link was revoked. Ask whoever sent it for a new one.');
}
export function currentVersion(): Problem {
  return new Problem(
    'conflict',
    'VERSION_CURRENT',
    'It is the current version of the file. Make another one current first, or destroy the file.',
  );
}
