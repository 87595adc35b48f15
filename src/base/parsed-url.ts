/**
 * Reads an absolute URL. `URL.canParse` has no part in it: once Node 20 has optimised it, after some thousand calls, it takes texts with
 * letters such as ü for no URLs.
 *
 * @returns undefined for anything else
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
