import { settings } from './services.ts';
import type { Option } from './option.ts';

type Tables = typeof settings;
type ValueOf<O> = O extends Option<infer T> ? T : never;

/** The configured values of the settings that services declare. */
export type ServiceConfig = {
  readonly [T in keyof Tables]: { readonly [N in keyof Tables[T]]: ValueOf<Tables[T][N]> };
};

type Name = `${string}.${string}`;

const all = Object.entries(settings).flatMap(([table, own]) =>
  Object.entries(own as Record<string, Option<unknown>>).map(([name, option]) => ({ table, name, option })),
);

/** Makes an option for each setting; its key is the table and the setting's own key. */
export function serviceOptions(): Readonly<Record<Name, Option<unknown>>> {
  return Object.fromEntries(
    all.map(({ table, name, option }) => [`${table}.${name}`, { ...option, key: `${table}.${option.key}` }]),
  );
}

export function serviceConfigOf(values: Readonly<Record<Name, unknown>>): ServiceConfig {
  const config: Record<string, Record<string, unknown>> = {};
  for (const { table, name } of all) (config[table] ??= {})[name] = values[`${table}.${name}`];
  return config as unknown as ServiceConfig;
}
