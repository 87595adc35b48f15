import type { JcalRule } from '../jcal.ts';
import { plainNumber } from '../../../../base/whole-number.ts';
import { timeFromText, timeToText } from './times.ts';

/** Rules of recurrence as text and as jCal has them (RFC 7265 3.6.10). Whether a rule makes sense, others say. */

const texts = new Set(['freq', 'until', 'byday', 'wkst', 'skip', 'rscale']);

/** Parts that nobody knows are kept. @returns undefined for what is no rule at all */
export function ruleFromText(text: string): JcalRule | undefined {
  const parts: Record<string, string | number | readonly (string | number)[]> = {};
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    const value = part.slice(equals + 1).trim();
    if (!/^[a-z][a-z0-9-]*$/.test(name) || value === '') return undefined;
    parts[name] = valueFrom(name, value);
  }
  return typeof parts['freq'] === 'string' ? parts : undefined;
}

function valueFrom(name: string, value: string): string | number | readonly (string | number)[] {
  if (name === 'until') return timeFromText(value.toUpperCase());
  const known = texts.has(name);
  const all = value.split(',').map((one) => (known ? one.trim().toUpperCase() : numberOr(one.trim())));
  return all.length === 1 ? (all[0] ?? '') : all;
}

function numberOr(text: string): string | number {
  return plainNumber(text.replace(/^\+/, '')) ?? text;
}

export function ruleToText(rule: JcalRule): string {
  return Object.entries(rule)
    .map(([name, value]) => {
      const all = (Array.isArray(value) ? value : [value]) as readonly (string | number)[];
      const said = name === 'until' ? all.map((one) => timeToText(String(one))) : all;
      return `${name.toUpperCase()}=${said.join(',')}`;
    })
    .join(';');
}
