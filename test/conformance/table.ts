import { readFile } from 'node:fs/promises';
import type { Method, EnvelopeName } from '../../src/contract/operation.ts';

/** An endpoint as the interface documents have it. */
export interface Row {
  readonly system: string;
  readonly method: Method;
  readonly path: string;
  readonly auth: 'none' | 'member' | 'admin';
  /** undefined where the documents name the endpoint and say no more */
  readonly success: number | undefined;
  readonly errors: readonly number[];
}

export async function readTable(): Promise<Row[]> {
  const [head = '', ...lines] = (await readFile('test/vectors/endpoints.tsv', 'utf8')).trimEnd().split('\n');
  if (head !== 'system\tmethod\tpath\tauth\tsuccess\terrors\tshape') throw new Error(`unknown columns: ${head}`);
  return lines.map((line) => {
    const [system, method, path, auth, success, errors] = line.split('\t') as [
      string,
      Method,
      string,
      Row['auth'],
      string,
      string,
    ];
    return {
      system,
      method,
      path,
      auth,
      success: success === '?' ? undefined : Number(success),
      errors: /\d/.test(errors) ? errors.split(',').map(Number) : [],
    };
  });
}

/** The envelope in which each system answers, by the documents. */
export const surfaceOfSystem: Readonly<Record<string, EnvelopeName>> = {
  accounts: 'account',
  pool: 'account',
  filevault: 'filevault',
  quorum: 'quorum',
  passvault: 'passvault',
  social: 'social',
  chat: 'social',
  email: 'email',
  calendar: 'calendar',
};

/** What the router sees of a path: the names of its parameters don't matter. */
export function shapeOf(path: string): string {
  return path.replaceAll(/\{\*?\w+\}|[:*]\w+/g, ':x');
}

export function filled(path: string, value: string): string {
  return shapeOf(path).replaceAll(':x', value);
}
