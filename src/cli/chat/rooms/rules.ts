import { Flags } from '@oclif/core';
import { wholeNumber } from '../../../base/whole-number.ts';
import { Problem } from '../../../base/problem.ts';

/** What the owner of a group or channel decides about what is said in it. */
export const ruleFlags = {
  slow: Flags.string({
    description: 'how long members wait from one message to the next (30s, 5m, 1h), or off',
    helpValue: 'TIME',
  }),
};

interface Chosen {
  readonly slow?: string | undefined;
}

const units = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** @throws Problem invalid USAGE */
function secondsOf(text: string, flag: string, examples: string): number {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (unit === undefined) throw new Problem('invalid', 'USAGE', `${flag} must be a time such as ${examples}, or off.`);
  return (wholeNumber(count) ?? 0) * units[unit as keyof typeof units];
}

/** What the flags change. @throws Problem invalid USAGE */
export function ruleChange({ slow }: Chosen): { readonly slowModeSeconds?: number } {
  if (slow === undefined) return {};
  return { slowModeSeconds: slow === 'off' ? 0 : secondsOf(slow, '--slow', '30s, 5m or 1h') };
}

/** A length of time in the largest unit that has it whole: `5m`. */
export function lengthInWords(seconds: number): string {
  const [unit, size] = Object.entries(units).findLast(([, one]) => seconds % one === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

/** How long members wait from one message to the next, in words. */
export function slowModeInWords(seconds = 0): string {
  return seconds === 0 ? 'off' : `one message in ${lengthInWords(seconds)}`;
}
