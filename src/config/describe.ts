import { variableOf } from './options.ts';
import type { LoadedConfig } from './load.ts';

export interface DescribedSetting {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  /** whether a running server takes it over at SIGHUP */
  readonly reloads: boolean;
  /** the variable that sets it */
  readonly variable: string;
  readonly description: string;
}

/** Each value and its source, for people. For secrets it shows only whether they are set. */
export function describeConfig({ settings, secrets, config }: LoadedConfig): DescribedSetting[] {
  const derived: Readonly<Record<string, string>> = {
    data_dir: config.dataDir,
    node_secret_file: config.nodeSecretFile,
  };
  const described = settings.map((setting) => ({
    name: setting.key,
    value: setting.value ?? derived[setting.key] ?? '(not set)',
    source: setting.source,
    reloads: setting.reloads,
    variable: variableOf(setting.key),
    description: setting.description,
  }));
  if (config.database === undefined) return described;
  const password = {
    name: '(database password)',
    value: secrets.databasePassword === undefined ? '(not set)' : '(set, not shown)',
    source: 'the URL, database_password_file or PGPASSWORD',
    reloads: false,
    variable: 'CONCLAVE_DATABASE_PASSWORD_FILE',
    description: 'Password of the PostgreSQL database',
  };
  return [...described, password];
}
