import { buildConfig, contradictions } from './build.ts';
import type { Config } from './config.ts';
import { refuseFaults, type LoadedConfig } from './load.ts';
import type { Option } from './option.ts';
import { options, type OptionName, type Values } from './options.ts';

export interface Reloaded {
  readonly config: Config;
  /** the values of it, for the next time */
  readonly values: Values;
  /** keys of the options that have another value now */
  readonly changed: readonly string[];
  /** keys of those that differ and need a restart, as long as they do */
  readonly waiting: readonly string[];
}

const all = Object.entries(options) as [OptionName, Option<unknown>][];
/** The files of a certificate can be others, but whether there is one is decided at the start. */
const tls: ReadonlySet<OptionName> = new Set(['tlsCert', 'tlsKey', 'tlsKeyPassphraseFile']);

/**
 * What a running server takes over of a configuration that was read again: the options that say so, or none of them.
 *
 * @param values those that the server has
 * @throws Problem invalid CONFIG_INVALID when they contradict each other
 */
export function reloadConfig(values: Values, { config, values: read }: LoadedConfig): Reloaded {
  const isOtherWay = (values.tlsCert === undefined) !== (read.tlsCert === undefined);
  const next: Record<string, unknown> = { ...values };
  const changed: string[] = [];
  const waiting: string[] = [];
  for (const [name, { key, kind, reloads }] of all) {
    if (shown(kind, values[name]) === shown(kind, read[name])) continue;
    const takes = reloads && !(isOtherWay && tls.has(name));
    (takes ? changed : waiting).push(key);
    if (takes) next[name] = read[name];
  }
  const taken = next as Values;
  refuseFaults(contradictions(taken));
  return { config: buildConfig(taken, config.dataDir), values: taken, changed, waiting };
}

function shown(kind: Option<unknown>['kind'], value: unknown): string | undefined {
  return value === undefined ? undefined : kind.show(value);
}

/** Puts the values of a configuration into the one that everything in this process holds, or a part of. */
export function overwriteConfig(held: Config, { ...next }: Config): void {
  overwrite(held as unknown as Record<string, unknown>, next);
}

function overwrite(held: Record<string, unknown>, next: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(next)) {
    const part = held[name];
    if (isPart(part) && isPart(value)) overwrite(part, value);
    else held[name] = value;
  }
}

function isPart(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
