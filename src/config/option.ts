import type { Kind } from './kinds.ts';

/** An option. Its name in `conclave.toml` is the key; the names of the variable and of the flag are derived from it. */
export interface Option<T> {
  readonly key: string;
  readonly kind: Kind<T>;
  /** the default as text; undefined: not set */
  readonly fallback: string | undefined;
  readonly description: string;
  /** whether commands that read the configuration have a flag for it */
  readonly flag: boolean;
  /** whether a running server takes it over when it reads its configuration again; see reload.ts */
  readonly reloads: boolean;
}

/** Settings by table of `conclave.toml` and name; a setting's key stands in its table. */
export type SettingTables = Readonly<Record<string, Readonly<Record<string, Option<unknown>>>>>;

interface Row {
  readonly flag?: boolean;
  readonly reloads?: boolean;
}

/** An option with a default, which is written as in a variable. */
export function set<T>(key: string, kind: Kind<T>, fallback: string, description: string, row: Row = {}): Option<T> {
  return { key, kind, fallback, description, flag: row.flag ?? false, reloads: row.reloads ?? false };
}

/** An option without a default. */
export function unset<T>(key: string, kind: Kind<T>, description: string, row: Row = {}): Option<T | undefined> {
  return { key, kind, fallback: undefined, description, flag: row.flag ?? false, reloads: row.reloads ?? false };
}
