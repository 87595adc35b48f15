import type { DavRequest } from './request.ts';
import { statusLine } from './answers.ts';
import { propertiesOf, allprop } from './properties/tables.ts';
import { addressOf, type Target } from './targets.ts';
import { element, href, textElement } from './xml/write.ts';

/** Properties that a program asks for. */
export interface Wanted {
  readonly names: readonly string[] | 'all';
  /** only which ones there are, without their values */
  readonly namesOnly: boolean;
  /** those that are not there are left out */
  readonly brief: boolean;
}

/** The names of what is wanted of a target. */
function namesWanted({ names }: Wanted, target: Target): readonly string[] {
  return names === 'all' ? allprop.filter((name) => name in propertiesOf(target)) : names;
}

/** One response of a multistatus, with the properties of a target. */
export async function responseOf(request: DavRequest, target: Target, wanted: Wanted): Promise<string> {
  // Without its content it is neither there nor gone: programs keep what they have of it.
  if (target.kind === 'resource' && target.resource !== undefined && 'damaged' in target.resource)
    return statusResponse(addressOf(request, target), 500);
  const address = href(addressOf(request, target));
  if (wanted.namesOnly) {
    const names = Object.keys(propertiesOf(target)).map((name) => element(name));
    return element('d:response', address + propstat(names.join(''), 200));
  }
  const { found, missing } = await valuesOf(request, target, wanted);
  const isEmpty = found === '' && (wanted.brief || missing === '');
  const good = found !== '' || isEmpty ? propstat(found, 200) : '';
  const bad = missing === '' || wanted.brief ? '' : propstat(missing, 404);
  return element('d:response', address + good + bad);
}

async function valuesOf(
  request: DavRequest,
  target: Target,
  wanted: Wanted,
): Promise<{ readonly found: string; readonly missing: string }> {
  const table = propertiesOf(target);
  let found = '';
  let missing = '';
  for (const name of namesWanted(wanted, target)) {
    const read = Object.hasOwn(table, name) ? table[name] : undefined;
    const given = read?.(request, target);
    // Most are at hand, and a turn for each of them would take longer than all else.
    const value = given instanceof Promise ? await given : given;
    if (value === undefined) missing += element(name);
    else found += element(name, value);
  }
  return { found, missing: wanted.names === 'all' ? '' : missing };
}

/** @param properties XML */
export function propstat(properties: string, status: number): string {
  return element('d:propstat', element('d:prop', properties) + statusLine(status));
}

/** A response that is only a status. @param more XML */
export function statusResponse(path: string, status: number, more = ''): string {
  return element('d:response', href(path) + statusLine(status) + more);
}

export function syncTokenElement(token: string): string {
  return textElement('d:sync-token', token);
}
