import { Flags, type Interfaces } from '@oclif/core';
import type { Option } from '../../config/option.ts';
import { flagOf, options, variableOf } from '../../config/options.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the values' types are the options' own, checked when the configuration is read
type ConfigFlags = Record<string, Interfaces.OptionFlag<any> | Interfaces.BooleanFlag<any>>;

/** A flag for each option of the configuration that has one, or for some. Values are checked when the configuration is read. */
export function configFlags(only?: readonly string[]): ConfigFlags {
  const rows = (Object.values(options) as Option<unknown>[]).filter(
    ({ flag, key }) => flag && key !== 'data_dir' && only?.includes(key) !== false,
  );
  return Object.fromEntries(rows.map((option) => [flagOf(option.key), flagFor(option)]));
}

function flagFor({ key, kind, fallback, description }: Option<unknown>): ConfigFlags[string] {
  const more = `${variableOf(key)}${fallback ? `; ${fallback} by default` : ''}`;
  const shown = `${description} (${more})`;
  if (kind.boolean === true) return Flags.boolean({ description: shown, allowNo: true });
  return Flags.string({
    description: shown,
    helpValue: 'VALUE',
    ...(kind.choices !== undefined && { options: [...kind.choices] }),
  });
}
