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
}
