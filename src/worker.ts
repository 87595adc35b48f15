import { imageTask, sealTask } from './attachments/tasks.ts';
import { jsonTask } from './http/json-task.ts';
import { importTask } from './services/passvault/transfer/import/import-task.ts';
import { workplace, type Workplace } from './offload/task.ts';
import { workHere } from './offload/work-thread.ts';

/** What threads do: each task with its work, which is loaded where it is first asked for. The program of every thread begins here. */
const places: readonly Workplace[] = [
  workplace(jsonTask, async () => (await import('./http/json-work.ts')).parseJsonWork),
  workplace(importTask, async () => (await import('./services/passvault/transfer/import/import-work.ts')).readImport),
  workplace(sealTask, async () => (await import('./attachments/seal-work.ts')).sealWork),
  workplace(imageTask, async () => (await import('./attachments/images/without-metadata.ts')).imageWork),
];

workHere(places);
