import { LOGGED_ITEMS } from '../../base/log-fields.ts';

/** How many items a notification names. The log names all of them. */
const SHOWN = 20;

/**
 * Logs items of any number, as many at once as a line of the log has, and puts the first of them into words.
 * @returns `one; two; and 7 more, which the log of the server has`; undefined if there are none
 */
export async function listed(
  pages: AsyncIterable<readonly string[]>,
  log: (items: readonly string[]) => void,
): Promise<string | undefined> {
  const shown: string[] = [];
  let count = 0;
  for await (const page of pages) {
    for (let at = 0; at < page.length; at += LOGGED_ITEMS) log(page.slice(at, at + LOGGED_ITEMS));
    shown.push(...page.slice(0, SHOWN - shown.length));
    count += page.length;
  }
  if (count === 0) return undefined;
  const rest = count - shown.length;
  return `${shown.join('; ')}${rest === 0 ? '' : `; and ${rest} more, which the log of the server has`}`;
}
