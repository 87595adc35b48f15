import type { DavConditions } from '../../service/ports/dav.ts';

/** Under which conditions a request changes something (RFC 9110 13.1, RFC 6638 8.3). */
export function conditionsOf(headers: Headers): DavConditions {
  const [match, none] = [tagsOf(headers.get('if-match')), tagsOf(headers.get('if-none-match'))];
  const schedule = headers.get('if-schedule-tag-match');
  return {
    ...(match !== undefined && { ifMatch: match }),
    ...(none !== undefined && { ifNoneMatch: none }),
    ...(schedule !== null && { ifScheduleTagMatch: schedule.trim().replace(/^"(.*)"$/, '$1') }),
  };
}

/** @returns a list that no tag is in if the header has none that can be one, so that the condition isn't lost */
function tagsOf(header: string | null): readonly string[] | '*' | undefined {
  if (header === null) return undefined;
  if (header.trim() === '*') return '*';
  // Weak tags are of contents that are only alike, so they never stand for one (RFC 9110 13.1.1).
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}

/** @returns undefined for what is not allowed here, which is `infinity`, and no header too (RFC 4918 9.1) */
export function depthOf(headers: Headers): 0 | 1 | undefined {
  const depth = headers.get('depth')?.trim();
  if (depth === '0') return 0;
  return depth === '1' ? 1 : undefined;
}

/** Whether a program wants to hear only of what there is (RFC 8144, and what Apple's programs send). */
export function isBrief(headers: Headers): boolean {
  const preferences = headers.get('prefer')?.toLowerCase() ?? '';
  return /(?:^|[,;\s])return\s*=\s*"?minimal"?/.test(preferences) || headers.get('brief')?.trim().toLowerCase() === 't';
}
