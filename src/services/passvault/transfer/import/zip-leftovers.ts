import type { ImportRun } from './import-run.ts';
import { plainName } from './mime-type.ts';

/** Of the names of an archive that are told; people have few files that don't belong to an export. */
const NAMED = 10;
const NAME_LENGTH = 80;

/** Nothing of an archive is left out in silence: what was not imported is named. */
export function noteLeftovers(paths: readonly string[], run: Pick<ImportRun, 'notice'>): void {
  if (paths.length === 0) return;
  const names = paths.slice(0, NAMED).map((path) => plainName(path).slice(0, NAME_LENGTH));
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  run.notice(`The archive holds files that were not imported: ${names.join(', ')}${more}.`);
}
