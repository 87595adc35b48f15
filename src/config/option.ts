import type { Kind } from './kinds.ts';

/** One thing that can be set. Its name in `conclave.toml` is the key; the variable's and the flag's names follow from it. */
export interface Option<T> {
  readonly key: string;
  readonly kind: Kind<T>;
  /** as it would be written; undefined: not set */
  readonly fallback: string | undefined;
  readonly description: string;
  /** a flag of the commands that read the configuration */
  readonly flag: boolean;
}
