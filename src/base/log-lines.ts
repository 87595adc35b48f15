import { inspectFields, inspectText } from './log-fields.ts';
import type { Log, LogFields, LogLevel } from './log.ts';

export interface LogOptions {
  /** lines below this level are dropped; a function is asked for each line */
  readonly level: LogLevel | (() => LogLevel);
  /** one JSON object per line, or text for people */
  readonly format: 'json' | 'text';
  /** receives whole lines with their line feeds; the default writes them to standard error */
  readonly write?: (line: string, level: LogLevel) => void;
  readonly now?: () => number;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** A log that writes lines. Secrets are removed from the fields by name, type and shape, and from the message by shape. */
export function createLog(options: LogOptions, context: LogFields = {}): Log {
  const { level, format, write = writeToStandardError, now = Date.now } = options;
  const compose = format === 'json' ? jsonLine : textLine;

  function at(of: LogLevel): Log['info'] {
    return (message, fields = {}) => {
      if (levels.indexOf(of) < levels.indexOf(typeof level === 'function' ? level() : level)) return;
      const inspected = inspectFields({ ...context, ...fields });
      write(compose(new Date(now()).toISOString(), of, inspectText(message), inspected), of);
    };
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createLog(options, { ...context, ...fields }),
  };
}

function writeToStandardError(line: string): void {
  process.stderr.write(line);
}

export interface LineBuffer {
  write(line: string, level: LogLevel): void;
  flush(): void;
}

/**
 * Collects the lines of one turn of the event loop and writes them together, because standard error is synchronous and each write
 * costs a system call. A warning or an error is written at once, together with the lines before it.
 */
export function bufferLines(write: (lines: string) => void = writeToStandardError): LineBuffer {
  let waiting = '';
  function flush(): void {
    const lines = waiting;
    waiting = '';
    if (lines !== '') write(lines);
  }
  return {
    write(line, level) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
      if (level === 'warn' || level === 'error') flush();
    },
    flush,
  };
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  return `${JSON.stringify({ time, level, message, ...fields })}\n`;
}

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`,
  );
  return `${time} ${level.padEnd(5)} ${message}${rest.join('')}\n`;
}

function quoted(value: string): string {
  return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}
