import { acl } from './filevault/acl.ts';
import { containers } from './filevault/containers.ts';
import { destruction } from './filevault/destruction.ts';
import { files } from './filevault/files.ts';
import { folders } from './filevault/folders.ts';
import { uploads } from './filevault/uploads.ts';
import { checking } from './filevault/checking.ts';
import { scanning } from './filevault/scanning.ts';
import { trash } from './filevault/trash.ts';
import { usage } from './filevault/usage.ts';
import { watermarks } from './filevault/watermarks.ts';

/** The file vault, prefix `/filevault`. */
export const filevault = {
  ...containers,
  ...folders,
  ...files,
  ...uploads,
  ...destruction,
  ...acl,
  ...trash,
  ...usage,
  ...checking,
  ...scanning,
  ...watermarks,
};
