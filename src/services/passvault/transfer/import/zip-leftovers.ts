import type { ImportRun } from './import-run.ts';
import { plainName } from './mime-type.ts';

/** Most file names that the notice lists. An archive rarely has more files that aren't part of an export. */
const NAMED = 10;
const NAME_LENGTH = 80;

/** Names the files of an archive that were not imported, so that nothing is left out silently. */
export function noteLeftovers(paths: readonly string[], run: Pick<ImportRun, 'notice'>): void {
  if (paths.length === 0) return;
  const names = paths.slice(0, NAMED).map((path) => plainName(path).slice(0, NAME_LENGTH));
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  run.notice(`The archive holds files that were not imported: ${names.join(', ')}${more}.`);
}
