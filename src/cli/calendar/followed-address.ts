import { Problem } from '../../base/problem.ts';
import { parsedUrl } from '../../base/parsed-url.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts } from '../kit/prompts.ts';
import { secretReader, variableOf } from '../kit/secrets.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

const NAME = 'address';

/** @param word the address, or `-` @throws Problem invalid INPUT_MISSING, SECRET_EMPTY */
export async function followedAddress(terminal: Terminal, word: string | undefined): Promise<string> {
  if (word === '-') return ((await secretReader(terminal).read(NAME, '-', variableOf(NAME))) ?? '').trim();
  if (word !== undefined) return word;
  if (!isInteractive(terminal)) throw missingInput({ path: NAME, by: 'ADDRESS, or - for standard input' });
  return (await prompts(terminal).secret({ message: 'Address of the calendar' })).trim();
}

/** What stands behind the host may be a secret, and others see the name. */
export function nameOfAddress(address: string): string {
  return parsedUrl(address.replace(/^webcals?:/i, 'https:'))?.hostname || 'Calendar';
}

/** `6h` as operations take it: `PT6H`. @throws Problem invalid USAGE */
export function intervalFrom(text: string): string {
  const [, count, unit] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (count === undefined) throw new Problem('invalid', 'USAGE', '--every must be from 1h to 30d, such as 6h or 1d.');
  return unit === 'h' ? `PT${count}H` : `P${count}${unit === 'd' ? 'D' : 'W'}`;
}
