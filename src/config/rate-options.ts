import { rates, type DeclaredLimit, type DeclaredRate, type LimitName } from '../contract/rates.ts';
import type { Rates } from './config.ts';
import { rate, type Rate } from './kinds.ts';
import type { Option } from './option.ts';

type By = 'PerAccount' | 'PerAddress';
type RateOptions = { readonly [Name in `${LimitName}${By}`]?: Option<Rate | undefined> };
type RateValues = { readonly [Name in keyof RateOptions]?: Rate | undefined };

const all = Object.entries(rates) as [LimitName, DeclaredLimit][];

/** Makes an option for each rate that a limit declares. */
export function rateOptions(): RateOptions {
  return Object.fromEntries(
    all.flatMap(([name, { key, perAccount, perAddress }]) => [
      ...optionOf(`${name}PerAccount`, `limits.${key}.per_account`, perAccount),
      ...optionOf(`${name}PerAddress`, `limits.${key}.per_address`, perAddress),
    ]),
  );
}

function optionOf(name: keyof RateOptions, key: string, declared: DeclaredRate | undefined) {
  if (declared === undefined) return [];
  const option = { key, kind: rate, fallback: declared.rate, description: declared.text, flag: false, reloads: true };
  return [[name, option] as const];
}

/** The configured rates of each limit. */
export function ratesOf(values: RateValues): Readonly<Record<LimitName, Rates>> {
  const entries = all.map(([name]) => {
    const own: Rates = { perAccount: values[`${name}PerAccount`], perAddress: values[`${name}PerAddress`] };
    return [name, own] as const;
  });
  return Object.fromEntries(entries) as Record<LimitName, Rates>;
}
