import { join } from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { databaseUrl } from '../../config/secrets.ts';
import type { EngineName } from '../../platform/store/database.ts';

/** The part of the configuration that an offline function needs. */
export type Loaded = Pick<LoadedConfig, 'config' | 'secrets'>;

/** Where a store is. */
export interface StorePlace {
  readonly engine: EngineName;
  /** for people: the file, or the URL without its password */
  readonly location: string;
  readonly dataDir: string;
  /** the URL with its password */
  readonly url: string | undefined;
}

export function configuredPlace({ config, secrets }: Loaded): StorePlace {
  const { dataDir, database } = config;
  if (database === undefined) return embeddedPlace(dataDir);
  return { engine: 'postgres', location: database, dataDir, url: databaseUrl(database, secrets) };
}

export function embeddedPlace(dataDir: string): StorePlace {
  return { engine: 'sqljs', location: join(dataDir, 'store.db'), dataDir, url: undefined };
}
