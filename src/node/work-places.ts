import { imageTask, movieTask, openTask, pictureTask, sealTask, thumbnailTask } from '../shared/attachments/tasks.ts';
import { jsonTask, parseJsonWork } from '../http/json-task.ts';
import { splitTask, splitWork } from '../http/raw-fields.ts';
import { passwordTask } from '../shared/members/password-task.ts';
import { knowObjectTask, readObjectTask, writeObjectTask } from '../services/calendar/dav/object-tasks.ts';
import { filterTask } from '../services/filevault/proofs/filter-task.ts';
import { composeTask } from '../services/mail/message/compose-task.ts';
import { indexTask } from '../services/mail/boxes/index-task.ts';
import { parseTask } from '../services/mail/message/parse-task.ts';
import { importTask } from '../services/passvault/transfer/import/import-task.ts';
import { protectTask } from '../services/passvault/transfer/export/protect-task.ts';
import { sealTask as sealDocumentTask, unsealTask, wrapTask } from '../services/quorum/documents/tasks.ts';
import { markTask, readMarkTask } from '../services/filevault/watermarks/task.ts';
import { wrapRoomKeysTask } from '../shared/group-keys/wrap-task.ts';
import { workplace, type Workplace } from '../service/ports/task.ts';

/** Each task with its work. The work is loaded when the task is first used, unless the task itself needs it. */
export const places: readonly Workplace[] = [
  workplace(jsonTask, async () => parseJsonWork),
  workplace(splitTask, async () => splitWork),
  workplace(importTask, async () => (await import('../services/passvault/transfer/import/import-work.ts')).readImport),
  workplace(protectTask, async () => (await import('../services/passvault/transfer/export/protect.ts')).protectWork),
  workplace(sealTask, async () => (await import('../shared/attachments/seal-work.ts')).sealWork),
  workplace(openTask, async () => (await import('../shared/attachments/seal-work.ts')).openWork),
  workplace(sealDocumentTask, async () => (await import('../services/quorum/documents/seal-work.ts')).sealWork),
  workplace(wrapTask, async () => (await import('../services/quorum/documents/seal-work.ts')).wrapWork),
  workplace(unsealTask, async () => (await import('../services/quorum/documents/seal-work.ts')).unsealWork),
  workplace(composeTask, async () => (await import('../services/mail/message/compose-work.ts')).composeWork),
  workplace(indexTask, async () => (await import('../services/mail/boxes/index-work.ts')).indexWork),
  workplace(parseTask, async () => (await import('../services/mail/message/parse-work.ts')).parseWork),
  workplace(passwordTask, async () => (await import('../shared/members/password-work.ts')).passwordWork),
  workplace(markTask, async () => (await import('../services/filevault/watermarks/work.ts')).markWork),
  workplace(readMarkTask, async () => (await import('../services/filevault/watermarks/work.ts')).readMarkWork),
  workplace(imageTask, async () => (await import('../shared/attachments/images/without-metadata.ts')).imageWork),
  workplace(pictureTask, async () => (await import('../shared/attachments/images/picture.ts')).pictureWork),
  workplace(thumbnailTask, async () => (await import('../shared/attachments/images/thumbnail.ts')).thumbnailWork),
  workplace(movieTask, async () => (await import('../shared/attachments/media/movie.ts')).movieWork),
  workplace(filterTask, async () => (await import('../services/filevault/proofs/filter-work.ts')).filterWork),
  workplace(readObjectTask, async () => (await import('../services/calendar/dav/object-work.ts')).readObjectWork),
  workplace(knowObjectTask, async () => (await import('../services/calendar/dav/object-work.ts')).knowObjectWork),
  workplace(writeObjectTask, async () => (await import('../services/calendar/dav/object-work.ts')).writeObjectWork),
  workplace(wrapRoomKeysTask, async () => (await import('../shared/group-keys/wrap-work.ts')).wrapRoomKeysWork),
];
