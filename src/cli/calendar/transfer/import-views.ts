import type { CalendarImport, ImportResult } from '../../../contract/calendar/export.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';

/** What became of a file, and a line for each event of it that failed, or was corrected. */
export function importText(result: ImportResult | undefined, read?: CalendarImport): string {
  if (result === undefined)
    return `The file has ${counted(read?.total ?? 0, 'event')}. The server reads it as soon as it runs: conclave serve`;
  const { imported, skipped, overwritten, failed, errors, warnings } = result;
  const parts = [
    `${counted(imported, 'event')} imported`,
    ...(skipped > 0 ? [`${skipped} there before`] : []),
    ...(overwritten > 0 ? [`${overwritten} overwritten`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  const ended =
    read?.state === 'failed' ? [`The import ended after ${read.done} of ${counted(read.total, 'event')}.`] : [];
  return [
    `${parts.join(', ')}.`,
    ...ended,
    ...errors.map(lineOf),
    ...(failed > errors.length ? [`Only the first ${errors.length} problems are listed.`] : []),
    ...warnings.map((warning) => `Corrected: ${lineOf(warning)}`),
  ].join('\n');
}

function lineOf({ uid, line, message }: ImportResult['errors'][number]): string {
  const place = [line === undefined ? '' : `line ${line}`, uid === undefined ? '' : `(${uid})`];
  return escapeForTerminal(`${place.filter((part) => part !== '').join(' ')}: ${message}`);
}
