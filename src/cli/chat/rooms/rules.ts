import { Flags } from '@oclif/core';
import { wholeNumber } from '../../../base/whole-number.ts';
import { Problem } from '../../../base/problem.ts';

/** What the owner of a group or channel decides about what is said in it. */
export const ruleFlags = {
  slow: Flags.string({
    description: 'how long members wait from one message to the next (30s, 5m, 1h), or off',
    helpValue: 'TIME',
  }),
  retention: Flags.string({
    description: 'how long messages are kept (12h, 7d, 4w), or off: as long as it is there',
    helpValue: 'TIME',
  }),
};

interface Chosen {
  readonly slow?: string | undefined;
  readonly retention?: string | undefined;
}

interface Rules {
  readonly slowModeSeconds?: number | undefined;
  readonly retentionMs?: number | null | undefined;
}

const units = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** @throws Problem invalid USAGE */
function secondsOf(text: string, name: string, examples: string): number {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (unit === undefined) throw new Problem('invalid', 'USAGE', `${name} must be a time such as ${examples}, or off.`);
  return (wholeNumber(count) ?? 0) * units[unit as keyof typeof units];
}

/** What a text says of how long messages are kept. @param name of the flag or argument. @throws Problem invalid USAGE */
export function retentionOf(text: string, name: string): number | null {
  return text === 'off' ? null : 1000 * secondsOf(text, name, '12h, 7d or 4w');
}

/** What the flags change. @throws Problem invalid USAGE */
export function ruleChange({ slow, retention }: Chosen): Rules {
  return {
    ...(slow !== undefined && { slowModeSeconds: slow === 'off' ? 0 : secondsOf(slow, '--slow', '30s, 5m or 1h') }),
    ...(retention !== undefined && { retentionMs: retentionOf(retention, '--retention') }),
  };
}

/** A length of time in the largest unit that has it whole: `5m`. */
function lengthInWords(seconds: number): string {
  const [unit, size] = Object.entries(units).findLast(([, one]) => seconds % one === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

/** How long messages are kept, in words. */
export function retentionInWords(retentionMs: number | null = null): string {
  return retentionMs === null ? 'no end' : lengthInWords(retentionMs / 1000);
}

/** Both for a table of two columns. */
export function rulePairs({ slowModeSeconds = 0, retentionMs }: Rules): (readonly [string, string])[] {
  return [
    ['Slow mode', slowModeSeconds === 0 ? 'off' : `one message in ${lengthInWords(slowModeSeconds)}`],
    ['Messages are kept', retentionInWords(retentionMs)],
  ];
}
