import { createLog } from '../../src/base/log-lines.ts';
import type { Log } from '../../src/base/log.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into lines of every shape
export type LogLine = Record<string, any>;

export interface CollectedLog extends Log {
  /** what was logged, as the real log writes it */
  readonly lines: readonly LogLine[];
}

/** The program's own log, written to an array. */
export function collectLog(): CollectedLog {
  const lines: LogLine[] = [];
  const log = createLog({
    level: 'debug',
    format: 'json',
    write: (line) => void lines.push(JSON.parse(line) as LogLine),
  });
  return { ...log, lines };
}
