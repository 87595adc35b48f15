import { acl } from './filevault/acl.ts';
import { approvals } from './filevault/approvals.ts';
import { audit } from './filevault/audit.ts';
import { canaries } from './filevault/canaries.ts';
import { clientKeys } from './filevault/client-keys.ts';
import { containers } from './filevault/containers.ts';
import { destruction } from './filevault/destruction.ts';
import { fileNotifications } from './filevault/file-notifications.ts';
import { files } from './filevault/files.ts';
import { folders } from './filevault/folders.ts';
import { links } from './filevault/links.ts';
import { proofs } from './filevault/proofs.ts';
import { sharing } from './filevault/sharing.ts';
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
  ...sharing,
  ...links,
  ...clientKeys,
  ...proofs,
  ...approvals,
  ...audit,
  ...fileNotifications,
  ...canaries,
  ...trash,
  ...usage,
  ...checking,
  ...scanning,
  ...watermarks,
};
