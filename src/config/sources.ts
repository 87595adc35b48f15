import type { FieldProblem } from '../base/problem.ts';
import type { Option } from './option.ts';
import { flagOf, options, variableOf } from './options.ts';
import type { Environment } from './paths.ts';

/** The sources of values, in order of priority: flags, environment, file, defaults. */
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
  /** the source for messages; with the key, if the source alone doesn't name it */
  readonly place: string;
  /** where relative paths start */
  readonly folder: string;
}

export function find(option: Option<unknown>, { flags, env, cwd, file }: Sources): Found {
  const flag = flagOf(option.key);
  if (option.flag && flags[flag] !== undefined) return found(flags[flag], `--${flag}`, cwd);
  const variable = variableOf(option.key);
  // An empty variable counts as not set, because compose files and unit files write "not set" that way.
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

/** Finds unknown keys of the file. Without this check, a misspelt limit would be silently ignored. */
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

/** Whether two names differ in one place: one letter added, missing or different, or two letters swapped. */
export function isNearly(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.length - start - end, b.length - start - end];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}
