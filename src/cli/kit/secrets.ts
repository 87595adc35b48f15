import { Problem } from '../../base/problem.ts';
import { unreadable } from './file-reasons.ts';
import type { Terminal } from './terminal.ts';

/** The limit is larger than any secret. Without it, a wrong path could fill the memory. */
const longestFile = 64 * 1024;

export function variableOf(name: string): string {
  return `CONCLAVE_${name.replaceAll('-', '_').toUpperCase()}`;
}

export function fileVariableOf(variable: string): string {
  return `${variable}_FILE`;
}

/** Reads secrets from files, variables and standard input. Each secret from standard input is one line. */
export interface SecretReader {
  /** @returns undefined if none of these gives the secret */
  read(name: string, file: string | undefined, variable: string): Promise<string | undefined>;
}

export function secretReader(terminal: Terminal): SecretReader {
  const { env } = terminal;
  let lines: string[] | undefined;
  const nextLine = async () => {
    lines ??= (await textOf(terminal.stdin)).replace(/\r?\n$/, '').split(/\r?\n/);
    return lines.shift();
  };
  return {
    async read(name, file, variable) {
      const path = file ?? (env[fileVariableOf(variable)] || undefined);
      if (path === undefined) return env[variable] || undefined;
      const text = path === '-' ? await nextLine() : await firstLine(name, path);
      if (text === undefined || text === '') {
        const where = path === '-' ? 'standard input' : path;
        throw new Problem('invalid', 'SECRET_EMPTY', `There is no ${name.replaceAll('-', ' ')} in ${where}.`);
      }
      return text;
    },
  };
}

async function firstLine(name: string, path: string): Promise<string | undefined> {
  // Most commands read none, and Node loads a dozen modules for it.
  const { readFile, stat } = await import('node:fs/promises');
  try {
    if ((await stat(path)).size > longestFile)
      throw new Problem('invalid', 'SECRET_UNREADABLE', `--${name}-file: ${path} is too long.`);
    return (await readFile(path, 'utf8')).split(/\r?\n/)[0];
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'SECRET_UNREADABLE', `--${name}-file: ${unreadable(path, cause)}`, { cause });
  }
}

async function textOf(stdin: Terminal['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > longestFile) throw new Problem('invalid', 'SECRET_UNREADABLE', 'Standard input is too long.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
