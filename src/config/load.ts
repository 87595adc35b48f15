import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Problem, type FieldProblem } from '../base/problem.ts';
import { buildConfig, contradictions } from './build.ts';
import type { Config } from './config.ts';
import { readConfigFile } from './file.ts';
import { WrongValue } from './kinds.ts';
import type { Option } from './option.ts';
import { options, type Values } from './options.ts';
import { databasePassword } from './password.ts';
import { defaultDataDir, type Environment } from './paths.ts';
import type { Secrets } from './secrets.ts';
import { find, unknownKeys, type ConfigFile, type Sources } from './sources.ts';

export interface ConfigInputs {
  /** by flag name, such as `data-dir`; undefined: not given. `config` names the file */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly home?: string;
  readonly cwd?: string;
}

export interface Setting {
  readonly key: string;
  /** undefined: not set */
  readonly value: string | undefined;
  /** a flag, a variable, the path of the file, or `default` */
  readonly source: string;
  /** whether a running server takes it over when it reads its configuration again */
  readonly reloads: boolean;
  readonly description: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly settings: readonly Setting[];
  /** what the configuration was built of */
  readonly values: Values;
  /** the `conclave.toml` that was read */
  readonly file: string | undefined;
}

/**
 * Reads the configuration. Flags override the environment, which overrides `conclave.toml`, which overrides the defaults. `--config` or
 * `CONCLAVE_CONFIG` names the file; otherwise it is `conclave.toml` in the data directory. A file in the working directory is ignored,
 * because the directory in which a command happens to run must not decide where a node keeps its secrets.
 *
 * @throws Problem invalid CONFIG_INVALID that names the source and the key of every wrong value, and never repeats a value
 */
export async function loadConfig({
  flags,
  env,
  home = homedir(),
  cwd = process.cwd(),
}: ConfigInputs): Promise<LoadedConfig> {
  const likelyDataDir = resolve(cwd, textOr(flags['data-dir'], env['CONCLAVE_DATA_DIR']) ?? defaultDataDir(env, home));
  const named = textOr(flags['config'], env['CONCLAVE_CONFIG']);
  const file = await openConfigFile(
    named === undefined ? join(likelyDataDir, 'conclave.toml') : resolve(cwd, named),
    named !== undefined,
  );
  const sources: Sources = { flags, env, cwd, file };

  const wrong: FieldProblem[] = file === undefined ? [] : unknownKeys(file);
  if (file !== undefined && named === undefined && file.keys.has('data_dir')) {
    wrong.push({
      path: `${file.path}: data_dir`,
      message: 'has no effect in a file in the data directory',
    });
  }
  const { values, settings } = readAll(sources, wrong);
  refuseFaults(wrong);
  refuseFaults(contradictions(values));

  const dataDir = values.dataDir ?? defaultDataDir(env, home);
  return {
    config: buildConfig(values, dataDir),
    secrets: { databasePassword: await databasePassword(values, sources) },
    settings,
    values: { ...values, database: values.database && { ...values.database, password: undefined } },
    file: file?.path,
  };
}

function readAll(sources: Sources, wrong: FieldProblem[]): { values: Values; settings: Setting[] } {
  const values: Record<string, unknown> = {};
  const settings: Setting[] = [];
  for (const [name, option] of Object.entries(options) as [string, Option<unknown>][]) {
    const { raw, source, place, folder } = find(option, sources);
    let value: unknown;
    try {
      value = raw === undefined ? undefined : option.kind.parse(raw);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      wrong.push({ path: place, message: error.message });
      continue;
    }
    if (option.kind.path === true && typeof value === 'string') value = resolve(folder, value);
    values[name] = value;
    const shown = raw === undefined ? undefined : option.kind.show(value);
    settings.push({ key: option.key, value: shown, source, reloads: option.reloads, description: option.description });
  }
  return { values: values as Values, settings };
}

async function openConfigFile(path: string, mustExist: boolean): Promise<ConfigFile | undefined> {
  const keys = await readConfigFile(path);
  if (keys === undefined && mustExist) {
    throw new Problem(
      'invalid',
      'CONFIG_INVALID',
      `${path}: the file named by --config or CONCLAVE_CONFIG does not exist.`,
    );
  }
  return keys === undefined ? undefined : { path, folder: dirname(path), keys };
}

/** @throws Problem invalid CONFIG_INVALID if there are any */
export function refuseFaults(wrong: readonly FieldProblem[]): void {
  if (wrong.length === 0) return;
  const message = wrong.map((field) => `${field.path} ${field.message}`).join('\n');
  throw new Problem('invalid', 'CONFIG_INVALID', message, { fields: wrong });
}

function textOr(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((one): one is string => typeof one === 'string' && one !== '');
}
