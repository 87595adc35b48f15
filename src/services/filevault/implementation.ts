import { containers } from '../../contract/filevault/containers.ts';
import { folders } from '../../contract/filevault/folders.ts';
import { files } from '../../contract/filevault/files.ts';
import { uploads } from '../../contract/filevault/uploads.ts';
import { destruction } from '../../contract/filevault/destruction.ts';
import { acl } from '../../contract/filevault/acl.ts';
import { sharing } from '../../contract/filevault/sharing.ts';
import { links } from '../../contract/filevault/links.ts';
import { clientKeys } from '../../contract/filevault/client-keys.ts';
import { proofs } from '../../contract/filevault/proofs.ts';
import { approvals } from '../../contract/filevault/approvals.ts';
import { audit } from '../../contract/filevault/audit.ts';
import { fileNotifications } from '../../contract/filevault/file-notifications.ts';
import { canaries } from '../../contract/filevault/canaries.ts';
import { trash } from '../../contract/filevault/trash.ts';
import { usage } from '../../contract/filevault/usage.ts';
import { checking } from '../../contract/filevault/checking.ts';
import { scanning } from '../../contract/filevault/scanning.ts';
import { watermarks } from '../../contract/filevault/watermarks.ts';
import { implement } from '../../service/implement.ts';

export const filevaultImplementation = {
  ...implement(
    containers,
    () => import('./containers/containers.ts'),
    () => import('./destruction/containers.ts'),
  ),
  ...implement(
    folders,
    () => import('./tree/folders.ts'),
    () => import('./tree/listing.ts'),
    () => import('./tree/paths.ts'),
    () => import('./tree/moving.ts'),
    () => import('./tree/restoring.ts'),
  ),
  ...implement(
    files,
    () => import('./files/search.ts'),
    () => import('./files/details.ts'),
    () => import('./files/versions.ts'),
    () => import('./files/downloads.ts'),
    () => import('./files/changes.ts'),
  ),
  ...implement(
    uploads,
    () => import('./uploads/sessions.ts'),
    () => import('./uploads/begin.ts'),
    () => import('./uploads/chunks.ts'),
    () => import('./uploads/finalize.ts'),
  ),
  ...implement(
    destruction,
    () => import('./destruction/destroy.ts'),
    () => import('./destruction/schedule.ts'),
    () => import('./destruction/verify.ts'),
  ),
  ...implement(
    acl,
    () => import('./access/permission-sets.ts'),
    () => import('./access/effective.ts'),
    () => import('./access/acl.ts'),
  ),
  ...implement(
    sharing,
    () => import('./sharing/internal.ts'),
    () => import('./sharing/own-keys.ts'),
    () => import('./sharing/lists.ts'),
    () => import('./sharing/recipients.ts'),
  ),
  ...implement(
    links,
    () => import('./sharing/new-link.ts'),
    () => import('./sharing/opening.ts'),
    () => import('./sharing/revoking.ts'),
  ),
  ...implement(
    clientKeys,
    () => import('./client-keys/container-keys.ts'),
    () => import('./client-keys/upload-keys.ts'),
    () => import('./client-keys/sealed-files.ts'),
  ),
  ...implement(proofs, () => import('./proofs/non-access.ts')),
  ...implement(
    approvals,
    () => import('./approvals/requests.ts'),
    () => import('./approvals/lists.ts'),
    () => import('./approvals/decisions.ts'),
  ),
  ...implement(
    audit,
    () => import('./auditing/list.ts'),
    () => import('./auditing/export.ts'),
  ),
  ...implement(fileNotifications, () => import('./notifications.ts')),
  ...implement(
    canaries,
    () => import('./canary/bindings.ts'),
    () => import('./canary/changes.ts'),
    () => import('./canary/check-in.ts'),
    () => import('./canary/dry-run.ts'),
  ),
  ...implement(
    trash,
    () => import('./trash/listing.ts'),
    () => import('./trash/emptying.ts'),
    () => import('./keeping/pruning.ts'),
  ),
  ...implement(usage, () => import('./keeping/usage.ts')),
  ...implement(
    checking,
    () => import('./check/check.ts'),
    () => import('./check/garbage.ts'),
  ),
  ...implement(scanning, () => import('./scanning/quarantine.ts')),
  ...implement(watermarks, () => import('./watermarks/reading.ts')),
};
