import type { FieldProblem } from '../problem.ts';
import type { Option } from './option.ts';
import { flagOf, options, variableOf } from './options.ts';
import type { Environment } from './paths.ts';

/** Where values are looked for, the first one first: flags, environment, file, defaults. */
export interface Sources {
  /** by flag name; undefined: not given */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly cwd: string;
  readonly file: ConfigFile | undefined;
}

export interface ConfigFile {
  readonly path: string;
  readonly folder: string;
  readonly keys: ReadonlyMap<string, unknown>;
}

export interface Found {
  readonly raw: unknown;
  /** `--port`, `CONCLAVE_PORT`, the path of the file, or `default` */
  readonly source: string;
  /** the source with the key where the source alone doesn't name it, for messages */
  readonly place: string;
  /** where relative paths start */
  readonly folder: string;
}

export function find(option: Option<unknown>, { flags, env, cwd, file }: Sources): Found {
  const flag = flagOf(option.key);
  if (option.flag && flags[flag] !== undefined) return found(flags[flag], `--${flag}`, cwd);
  const variable = variableOf(option.key);
  // An empty variable counts as none: that is how compose files and unit files spell "not set".
  if (env[variable] !== undefined && env[variable] !== '') return found(env[variable], variable, cwd);
  if (file?.keys.has(option.key) === true) {
    return {
      raw: file.keys.get(option.key),
      source: file.path,
      place: `${file.path}: ${option.key}`,
      folder: file.folder,
    };
  }
  return found(option.fallback, 'default', cwd);
}

function found(raw: unknown, source: string, folder: string): Found {
  return { raw, source, place: source, folder };
}

/** Unknown keys of the file. A misspelt limit would otherwise be ignored without notice. */
export function unknownKeys(file: ConfigFile): FieldProblem[] {
  const known = Object.values(options).map((option) => option.key);
  const wrong = [...file.keys.keys()].filter((key) => !known.includes(key));
  return wrong.map((key) => {
    const last = (one: string) => one.slice(one.lastIndexOf('.') + 1);
    const near = known.find((one) => last(one) === last(key)) ?? known.find((one) => isNearly(one, key));
    const hint = near === undefined ? '' : `; is ${near} meant?`;
    return { path: `${file.path}: ${key}`, message: `is not an option${hint}` };
  });
}

/** Whether two names differ in one place: a letter too many, too few, another, or two swapped. */
export function isNearly(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.length - start - end, b.length - start - end];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}
